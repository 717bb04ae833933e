# Loops whose full rounds need no guard; what is left alone.
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def symbolic(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("n", "m"), "float32")):
        n = T.int32()
        m = T.int32()
        for bx in T.thread_binding(n, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                for k in range((m + 255) // 256):
                    if k * 256 + tx < m:
                        B[bx, k * 256 + tx] = A[bx, k * 256 + tx] * 2.0

    @T.prim_func
    def constant(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(16):
                if k * 64 + tx < 1000:
                    B[k * 64 + tx] = A[k * 64 + tx] * 2.0

    @T.prim_func
    def both_ends(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32")):
        for tx in T.thread_binding(50, thread="threadIdx.x"):
            for k in range(20):
                B[k * 50 + tx] = T.if_then_else(k * 50 + tx >= 3 and k * 50 + tx < 997, A[k * 50 + tx - 3] + A[k * 50 + tx + 3], T.float32(0))

    @T.prim_func
    def vector_tail(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        for bx in T.thread_binding((n + 255) // 256, thread="blockIdx.x"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                for v in T.vectorized(4):
                    if bx * 256 + tx * 4 + v < n:
                        B[bx * 256 + tx * 4 + v] = A[bx * 256 + tx * 4 + v] * 2.0

    @T.prim_func
    def mask(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128,), "float32")):
        for i in T.thread_binding(128, thread="blockIdx.x"):
            for tx in T.thread_binding(1, thread="threadIdx.x"):
                B[i] = T.float32(0)
                for k in range(128):
                    B[i] += T.if_then_else(k <= i, A[i, k], T.float32(0))

    @T.prim_func
    def staged(A: T.Buffer(("n",), "float32"), B: T.Buffer((64,), "float32")):
        n = T.int32()
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            B[tx] = T.float32(0)
            for k in range((n + 63) // 64):
                if k * 64 + tx < n:
                    S[tx] = A[k * 64 + tx]
                for j in range(64):
                    if k * 64 + j < n:
                        B[tx] += S[j]

    @T.prim_func
    def left_alone(A: T.Buffer((1000,), "float32"), B: T.Buffer((1000,), "float32"), first: T.int32):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(16):
                if k * 64 + tx < 1000:
                    if A[k * 64 + tx] < T.float32(0):
                        break
                    B[k * 64 + tx] = A[k * 64 + tx]
            for k in range(16):
                if k < tx:
                    B[k] = A[k]
            for k in range(16):
                if first * k < 100:
                    B[k + 16] = A[k]
            for k in range(16):
                if k < 3:
                    B[k + 32] = A[k]
