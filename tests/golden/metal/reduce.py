# Sums rows of 1,024 floats: each threadgroup of 256 threads adds up one row in a tree in threadgroup memory.
from tvm.script import ir as I
from tvm.script import tirx as T

rows = 64
columns = 1024
threads = 256


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((rows, columns), "float32"), B: T.Buffer((rows,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for bx in T.thread_binding(rows, thread="blockIdx.x"):
            for tx in T.thread_binding(threads, thread="threadIdx.x"):
                partial = T.alloc_buffer((threads,), "float32", scope="shared")
                total: T.float32 = T.float32(0)
                for k in range(columns // threads):
                    total += A[bx, k * threads + tx]
                partial[tx] = total
                T.tvm_storage_sync("shared")
                half: T.int32 = threads // 2
                while half > 0:
                    if tx < half:
                        partial[tx] += partial[tx + half]
                    T.tvm_storage_sync("shared")
                    half = half // 2
                if tx == 0:
                    B[bx] = partial[0]
