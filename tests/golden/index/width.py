# Index arithmetic: 64 bits where 32 are not proved enough, 32 where they are.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def fused(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("n", "m"), "float32")):
        n = T.int32()
        m = T.int32()
        for bx in T.thread_binding((n * m + 255) // 256, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                if bx * 256 + tx < n * m:
                    B[(bx * 256 + tx) // m, (bx * 256 + tx) % m] = A[(bx * 256 + tx) // m, (bx * 256 + tx) % m] + 1.0

    @T.prim_func
    def rows(A: T.Buffer(("n", 128), "float32"), B: T.Buffer(("n",), "float32")):
        n = T.int32()
        for bx in T.thread_binding((n + 255) // 256, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                if bx * 256 + tx < n:
                    B[bx * 256 + tx] = T.float32(0)
                    for k in range(128):
                        B[bx * 256 + tx] += A[bx * 256 + tx, k]

    @T.prim_func
    def past_int32(A: T.Buffer((65536, 65536), "int8")):
        for bx in T.thread_binding(65536, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                A[bx, tx] = T.int8(1)

    @T.prim_func
    def first_rows_of_it(A: T.Buffer((65536, 65536), "int8")):
        for bx in T.thread_binding(32768, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                A[bx, tx] = T.int8(1)

    @T.prim_func
    def small_loops_of_64_bits(A: T.Buffer((T.int64(64), T.int64(32)), "int64")):
        for bx in T.thread_binding(T.int64(2), thread="blockIdx.x"):
            for tx in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                for k in range(T.int64(32)):
                    row: T.let = bx * T.int64(32) + tx
                    if row * T.int64(32) + k < T.int64(2000):
                        A[row, k] = row * k

    @T.prim_func
    def guarded(A: T.Buffer((T.int64(1000),), "float32"), n: T.int64):
        for bx in T.thread_binding(T.int64(1000), thread="blockIdx.x"):
            for k in range(n):
                if k < T.int64(10) and k * T.int64(100) + bx < n:
                    A[bx + k] = T.float32(0)
                if k < T.int64(10):
                    A[bx + k] = T.float32(0)

    @T.prim_func
    def with_offset(a: T.handle, B: T.Buffer((64,), "float32")):
        A = T.match_buffer(a, (64,), "float32", elem_offset="o", offset_factor=1)
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[tx] = A[tx]
