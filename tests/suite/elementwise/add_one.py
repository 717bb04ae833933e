# The smallest program: one addition an element.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
        for bx in T.thread_binding(32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("B"):
                    i = T.axis.spatial(1024, bx * 32 + tx)
                    T.reads(A[i])
                    T.writes(B[i])
                    B[i] = A[i] + T.float32(1)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 1024).astype("float32")}


def reference(A):
    return {"B": A + 1}
