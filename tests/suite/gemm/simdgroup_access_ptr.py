# Simdgroup matrices as TVM's schedules for Metal write them: blocks that match a region with its strides, pointers by access_ptr,
# tiles staged in threadgroup memory, a transposed load.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    for by in T.thread_binding(2, thread="blockIdx.y"):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("tile"):
                    vy, vx = T.axis.remap("SS", [by, bx])
                    staged = T.sblock_alloc_buffer((8, 16), "float16", scope="shared")
                    a = T.sblock_alloc_buffer((8, 8), "float16", scope="metal.simdgroup")
                    b = T.sblock_alloc_buffer((8, 8), "float16", scope="metal.simdgroup")
                    c = T.sblock_alloc_buffer((8, 8), "float32", scope="metal.simdgroup")
                    for i in range(4):
                        staged[(i * 32 + tx) // 16, (i * 32 + tx) % 16] = A[vy * 8 + (i * 32 + tx) // 16, (i * 32 + tx) % 16]
                    T.metal.make_filled_simdgroup_matrix(c.data, 0, T.float32(0), 8, 8)
                    for k in range(2):
                        with T.sblock("load_a"):
                            vk = T.axis.spatial(2, k)
                            T.reads(staged[0:8, vk * 8:vk * 8 + 8])
                            T.writes(a[0:8, 0:8])
                            S = T.match_buffer(staged[0:8, vk * 8:vk * 8 + 8], (8, 8), "float16", strides=("s1", "s0"), scope="shared", offset_factor=1)
                            D = T.match_buffer(a[0:8, 0:8], (8, 8), "float16", strides=("d1", "d0"), scope="metal.simdgroup", offset_factor=1)
                            T.metal.simdgroup_load(D.data, 0, S.access_ptr("r"), S.strides[0], 8, 8, False)
                        with T.sblock("load_b"):
                            vk, vj = T.axis.remap("SS", [k, bx])
                            T.reads(B[vj * 8:vj * 8 + 8, vk * 8:vk * 8 + 8])
                            T.writes(b[0:8, 0:8])
                            S = T.match_buffer(B[vj * 8:vj * 8 + 8, vk * 8:vk * 8 + 8], (8, 8), "float16", strides=("s1", "s0"), offset_factor=1)
                            T.metal.simdgroup_load(b.data, 0, S.access_ptr("r"), S.strides[0], 8, 8, True)
                        T.metal.simdgroup_multiply_accumulate(c.data, 0, a.data, 0, b.data, 0, c.data, 0)
                    with T.sblock("store"):
                        wy, wx = T.axis.remap("SS", [by, bx])
                        T.reads(c[0:8, 0:8])
                        T.writes(C[wy * 8:wy * 8 + 8, wx * 8:wx * 8 + 8])
                        R = T.match_buffer(C[wy * 8:wy * 8 + 8, wx * 8:wx * 8 + 8], (8, 8), "float32", strides=("r1", "r0"), offset_factor=1)
                        T.metal.simdgroup_store(c.data, 0, R.access_ptr("w"), R.strides[0], 8, 8, False)


inputs = {name: lambda rng: rng.uniform(-1, 1, (16, 16)).astype("float16") for name in "AB"}


def reference(A, B):
    return {"C": A.astype(np.float64) @ B.astype(np.float64).T}
