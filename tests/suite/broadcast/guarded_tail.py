# A length that no group size divides: the last group is guarded.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32")):
        for bx in T.thread_binding(16, thread="blockIdx.x"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("B"):
                    i = T.axis.spatial(1000, bx * 64 + tx)
                    T.where(bx * 64 + tx < 1000)
                    B[i] = A[i] * T.float32(3)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 1000).astype("float32")}


def reference(A):
    return {"B": A * np.float32(3)}
