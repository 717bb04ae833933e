# Which arrays share memory, and the barriers that keep them apart.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def one_after_another(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            U = T.alloc_buffer((128,), "float32", scope="shared")
            W = T.alloc_buffer((64,), "int32", scope="shared")
            S[tx] = A[tx]
            B[tx] = S[63 - tx]
            U[tx + 64] = B[tx]
            B[tx] = U[127 - tx]
            W[tx] = tx
            B[tx] = B[tx] + T.Cast("float32", W[63 - tx])

    @T.prim_func
    def both_at_once(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            U = T.alloc_buffer((64,), "float32", scope="shared")
            S[tx] = A[tx]
            U[tx] = S[63 - tx]
            B[tx] = U[tx]

    @T.prim_func
    def in_a_loop(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            U = T.alloc_buffer((64,), "float32", scope="shared")
            S[tx] = A[tx]
            for k in range(8):
                U[tx] = S[(tx + k) % 64]
                S[tx] = U[(tx + 1) % 64]
            B[tx] = S[tx]

    @T.prim_func
    def arms_of_a_branch(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            U = T.alloc_buffer((64,), "float32", scope="shared")
            if tx < 16:
                S[tx] = A[tx]
                B[tx] = S[tx] * 2.0
            else:
                U[tx - 16] = A[tx]
                B[tx] = U[tx - 16] * 3.0

    @T.prim_func
    def only_so_it_fits(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32"), C: T.Buffer((256,), "int8")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            S = T.alloc_buffer((8192,), "float32", scope="shared")
            U = T.alloc_buffer((256,), "int8", scope="shared")
            for k in range(32):
                S[k * 256 + tx] = A[tx] * T.Cast("float32", k)
            B[tx] = S[8191 - tx]
            U[tx] = C[tx]
            C[tx] = U[255 - tx]

    @T.prim_func
    def where_threads_part(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "int32", scope="shared")
            U = T.alloc_buffer((64,), "int32", scope="shared")
            S[tx] = A[tx]
            B[tx] = S[63 - tx]
            for k in range(A[tx]):
                U[tx] = k
                B[tx] = B[tx] + U[tx]

    @T.prim_func
    def own_arrays(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            L = T.alloc_buffer((4,), "float32", scope="local")
            M = T.alloc_buffer((8,), "float32", scope="local")
            N = T.alloc_buffer((4,), "float32", scope="local")
            for k in range(4):
                L[k] = A[(tx + k) % 64]
            for k in range(8):
                M[k] = L[k % 4]
            for k in range(4):
                N[k] = M[k] + M[7 - k]
            B[tx] = N[0] * N[1] + N[2] * N[3]
