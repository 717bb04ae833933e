# Where threads meet in threadgroup memory, and where it takes a closer look to see that they do not.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def double_buffer(A: T.Buffer((1024,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((2, 64), "float32", scope="shared")
            B[tx] = T.float32(0)
            for ko in range(16):
                S[ko % 2, tx] = A[ko * 64 + tx]
                B[tx] += S[ko % 2, 63 - tx]

    @T.prim_func
    def double_buffer_of_any_length(A: T.Buffer(("n", 64), "float32"), B: T.Buffer((64,), "float32")):
        n = T.int32()
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((3, 64), "float32", scope="shared")
            B[tx] = T.float32(0)
            for ko in range(n):
                S[ko % 3, tx] = A[ko, tx]
                B[tx] += S[ko % 3, 63 - tx]

    @T.prim_func
    def one_buffer(A: T.Buffer((1024,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            B[tx] = T.float32(0)
            for ko in range(16):
                S[tx] = A[ko * 64 + tx]
                B[tx] += S[63 - tx]

    @T.prim_func
    def alternating_with_a_branch(A: T.Buffer((1024,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((2, 64), "float32", scope="shared")
            B[tx] = T.float32(0)
            for ko in range(16):
                S[ko % 2, tx] = A[ko * 64 + tx]
                if ko < n:
                    B[tx] += S[ko % 2, 63 - tx]

    @T.prim_func
    def padded_rows(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            S = T.alloc_buffer((16, 17), "float32", scope="shared")
            S[tx // 16, tx % 16] = A[tx]
            B[tx] = S[tx // 16, tx % 16] * 2.0
            S[tx % 16, tx // 16] = A[tx]
            B[tx] += S[tx // 16, tx % 16]

    @T.prim_func
    def swizzled(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
        for ty in T.thread_binding(8, thread="threadIdx.y"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                S = T.alloc_buffer((8, 32), "float32", scope="shared")
                S[ty, tx ^ ty] = A[ty * 32 + tx]
                S[ty, tx ^ ty] = S[ty, tx ^ ty] + 1.0
                B[ty * 32 + tx] = S[ty, tx]

    @T.prim_func
    def pairs_share(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((32,), "float32", scope="shared")
            if tx % 2 == 0:
                S[tx // 2] = A[tx]
            B[tx] = S[tx // 2]

    @T.prim_func
    def halves(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((128,), "float32", scope="shared")
            S[tx // 32 * 64 + tx % 32] = A[tx]
            S[tx // 32 * 64 + 32 + tx % 32] = A[tx] + 1.0
            B[tx] = S[tx // 32 * 64 + tx % 32] + S[tx // 32 * 64 + 32 + tx % 32]
