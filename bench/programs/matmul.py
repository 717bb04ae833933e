# W2: 512 x 512 x 512 floats, tiles of 16 x 16 in threadgroup memory, two barriers a tile.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((512, 512), "float32"), B: T.Buffer((512, 512), "float32"), C: T.Buffer((512, 512), "float32")):
        for by in T.thread_binding(32, thread="blockIdx.y"):
            for bx in T.thread_binding(32, thread="blockIdx.x"):
                for ty in T.thread_binding(16, thread="threadIdx.y"):
                    for tx in T.thread_binding(16, thread="threadIdx.x"):
                        with T.sblock("tile"):
                            T.reads(A[by * 16:by * 16 + 16, 0:512], B[0:512, bx * 16:bx * 16 + 16])
                            T.writes(C[by * 16 + ty, bx * 16 + tx])
                            As = T.sblock_alloc_buffer((16, 16), "float32", scope="shared")
                            Bs = T.sblock_alloc_buffer((16, 16), "float32", scope="shared")
                            acc = T.sblock_alloc_buffer((1,), "float32", scope="local")
                            acc[0] = T.float32(0)
                            for ko in range(32):
                                As[ty, tx] = A[by * 16 + ty, ko * 16 + tx]
                                Bs[ty, tx] = B[ko * 16 + ty, bx * 16 + tx]
                                for ki in range(16):
                                    acc[0] += As[ty, ki] * Bs[ki, tx]
                            C[by * 16 + ty, bx * 16 + tx] = acc[0]
