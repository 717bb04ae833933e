# W3: 16 Mi floats to 65,536 sums, a tree over 256 threads, nine barriers a threadgroup.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16777216,), "float32"), B: T.Buffer((65536,), "float32")):
        for bx in T.thread_binding(65536, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                with T.sblock("tree"):
                    T.reads(A[bx * 256 + tx])
                    T.writes(B[bx])
                    S = T.sblock_alloc_buffer((256,), "float32", scope="shared")
                    S[tx] = A[bx * 256 + tx]
                    T.tvm_storage_sync("shared")
                    for step in range(8):
                        if tx < T.shift_right(128, step):
                            S[tx] = S[tx] + S[tx + T.shift_right(128, step)]
                        T.tvm_storage_sync("shared")
                    if tx == 0:
                        B[bx] = S[0]
