# Vectors of 4 lanes that begin at an odd element, with a stride of three.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((776,), "float32"), B: T.Buffer((776,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for v in T.vectorized(4):
                B[tx * 12 + v * 3 + 1] = A[tx * 4 + v + 1]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 776).astype("float32")}
tolerance = 0


def reference(A):
    B = np.zeros_like(A)
    for t in range(64):
        for v in range(4):
            B[t * 12 + v * 3 + 1] = A[t * 4 + v + 1]
    return {"B": B}
