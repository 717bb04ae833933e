# 8x8 matrices held by a simdgroup.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 32), "float16"), B: T.Buffer((32, 32), "float16"), C: T.Buffer((32, 32), "float32")):
        for by in T.thread_binding(4, thread="blockIdx.y"):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                for tx in T.thread_binding(32, thread="threadIdx.x"):
                    with T.sblock("tile"):
                        T.reads(A[by * 8:by * 8 + 8, 0:32], B[0:32, bx * 8:bx * 8 + 8])
                        T.writes(C[by * 8:by * 8 + 8, bx * 8:bx * 8 + 8])
                        a = T.sblock_alloc_buffer((64,), "float16", scope="metal.simdgroup")
                        b = T.sblock_alloc_buffer((64,), "float16", scope="metal.simdgroup")
                        c = T.sblock_alloc_buffer((64,), "float32", scope="metal.simdgroup")
                        T.metal.make_filled_simdgroup_matrix(c.data, 0, T.float32(0))
                        for k in range(4):
                            T.metal.simdgroup_load(a.data, 0, T.address_of(A[by * 8, k * 8]), 32)
                            T.metal.simdgroup_load(b.data, 0, T.address_of(B[k * 8, bx * 8]), 32)
                            T.metal.simdgroup_multiply_accumulate(c.data, 0, a.data, 0, b.data, 0, c.data, 0)
                        T.metal.simdgroup_store(c.data, 0, T.address_of(C[by * 8, bx * 8]), 32)


inputs = {name: lambda rng: rng.uniform(-1, 1, (32, 32)).astype("float16") for name in "AB"}


def reference(A, B):
    return {"C": A.astype(np.float64) @ B.astype(np.float64)}
