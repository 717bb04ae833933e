# A block that counts: its threadgroup memory is found by what the operation touches; the vectorized loop runs lane by lane.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 64), "int32"), H: T.Buffer((4, 16), "uint32")):
    for b in T.thread_binding(4, thread="blockIdx.x"):
        with T.sblock("group"):
            vb = T.axis.spatial(4, b)
            counts = T.sblock_alloc_buffer((4, 16), "uint32", scope="shared")
            for t in T.thread_binding(16, thread="threadIdx.x"):
                with T.sblock("clear"):
                    vt = T.axis.spatial(16, t)
                    counts[vb, vt] = T.uint32(0)
            for t in T.thread_binding(16, thread="threadIdx.x"):
                for j in T.vectorized(4):
                    with T.sblock("count"):
                        vi = T.axis.spatial(64, t * 4 + j)
                        T.atomic_add(counts[vb, A[vb, vi]], T.uint32(1))
            for t in T.thread_binding(16, thread="threadIdx.x"):
                with T.sblock("out"):
                    vt = T.axis.spatial(16, t)
                    H[vb, vt] = counts[vb, vt]


def reference(A, H):
    return {"H": np.stack([np.bincount(row, minlength=16) for row in A]).astype("uint32")}


inputs = {"A": lambda rng: rng.integers(0, 16, (4, 64)).astype("int32"), "H": lambda rng: np.zeros((4, 16), "uint32")}
