# A device temporary between two kernels.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        S = T.alloc_buffer((64,), "float32")
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S[tx] = A[tx] * T.float32(2)
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[tx] = S[63 - tx] + T.float32(1)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}


def reference(A):
    return {"B": A[::-1] * np.float32(2) + 1}
