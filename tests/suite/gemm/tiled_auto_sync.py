# Tiles in threadgroup memory; the compiler places the barriers.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
        for by in T.thread_binding(4, thread="blockIdx.y"):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                for ty in T.thread_binding(16, thread="threadIdx.y"):
                    for tx in T.thread_binding(16, thread="threadIdx.x"):
                        with T.sblock("tile"):
                            T.reads(A[by * 16:by * 16 + 16, 0:64], B[0:64, bx * 16:bx * 16 + 16])
                            T.writes(C[by * 16 + ty, bx * 16 + tx])
                            As = T.sblock_alloc_buffer((16, 16), "float32", scope="shared")
                            Bs = T.sblock_alloc_buffer((16, 16), "float32", scope="shared")
                            acc = T.sblock_alloc_buffer((1,), "float32", scope="local")
                            acc[0] = T.float32(0)
                            for ko in range(4):
                                As[ty, tx] = A[by * 16 + ty, ko * 16 + tx]
                                Bs[ty, tx] = B[ko * 16 + ty, bx * 16 + tx]
                                for ki in range(16):
                                    acc[0] += As[ty, ki] * Bs[ki, tx]
                            C[by * 16 + ty, bx * 16 + tx] = acc[0]


inputs = {name: lambda rng: rng.uniform(-1, 1, (64, 64)).astype("float32") for name in "AB"}


def reference(A, B):
    return {"C": A.astype(np.float64) @ B.astype(np.float64)}
