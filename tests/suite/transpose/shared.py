# A transpose through a padded tile in threadgroup memory.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 64), "int32"), B: T.Buffer((64, 32), "int32")):
        for by in T.thread_binding(2, thread="blockIdx.y"):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                for ty in T.thread_binding(16, thread="threadIdx.y"):
                    for tx in T.thread_binding(16, thread="threadIdx.x"):
                        with T.sblock("tile"):
                            T.reads(A[by * 16 + ty, bx * 16 + tx])
                            T.writes(B[bx * 16 + ty, by * 16 + tx])
                            S = T.sblock_alloc_buffer((16, 17), "int32", scope="shared")
                            S[ty, tx] = A[by * 16 + ty, bx * 16 + tx]
                            T.tvm_storage_sync("shared")
                            B[bx * 16 + ty, by * 16 + tx] = S[tx, ty]


inputs = {"A": lambda rng: rng.integers(-1000, 1000, (32, 64)).astype("int32")}


def reference(A):
    return {"B": A.T}
