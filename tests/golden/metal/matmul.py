# C = A @ B for 256 x 256 floats: each threadgroup of 16 x 16 threads computes one tile of C and keeps the tiles of A
# and B that it needs in threadgroup memory.
from tvm.script import ir as I
from tvm.script import tirx as T

n = 256
tile = 16


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((n, n), "float32"), B: T.Buffer((n, n), "float32"), C: T.Buffer((n, n), "float32")):
        T.func_attr({"tirx.noalias": True})
        for by in T.thread_binding(n // tile, thread="blockIdx.y"):
            for bx in T.thread_binding(n // tile, thread="blockIdx.x"):
                for ty in T.thread_binding(tile, thread="threadIdx.y"):
                    for tx in T.thread_binding(tile, thread="threadIdx.x"):
                        As = T.alloc_buffer((tile, tile), "float32", scope="shared")
                        Bs = T.alloc_buffer((tile, tile), "float32", scope="shared")
                        acc = T.alloc_buffer((1,), "float32", scope="local")
                        acc[0] = T.float32(0)
                        for ko in range(n // tile):
                            As[ty, tx] = A[by * tile + ty, ko * tile + tx]
                            Bs[ty, tx] = B[ko * tile + ty, bx * tile + tx]
                            T.tvm_storage_sync("shared")
                            for ki in range(tile):
                                acc[0] += As[ty, ki] * Bs[ki, tx]
                            T.tvm_storage_sync("shared")
                        C[by * tile + ty, bx * tile + tx] = acc[0]
