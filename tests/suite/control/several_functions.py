# A module of three functions, each run by its name; one has the name that a kernel of another would have.
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


functions = {
    "main": lambda A: {"B": A.astype(np.float64) + 1},
    "other": lambda A: {"B": A.astype(np.float64) - 1},
    "main_kernel": lambda A: {"B": A.astype(np.float64) * 5},
}


inputs = {"A": lambda rng: rng.uniform(-1, 1, 32).astype("float32")}
