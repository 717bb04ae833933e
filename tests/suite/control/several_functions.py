# A module of two functions; this one is run by its name.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            B[t] = A[t] + T.float32(1)

    @T.prim_func
    def other(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            B[t] = A[t] - T.float32(1)

    @T.prim_func
    def main_kernel(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            B[t] = A[t] * T.float32(5)


def reference(A):
    return {"B": A.astype(np.float64) + 1}


inputs = {"A": lambda rng: rng.uniform(-1, 1, 32).astype("float32")}
