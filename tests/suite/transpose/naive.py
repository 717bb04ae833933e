# A transpose, an element a thread.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((48, 32), "float32"), B: T.Buffer((32, 48), "float32")):
        for i in T.thread_binding(48, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                B[j, i] = A[i, j]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (48, 32)).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A.T}
