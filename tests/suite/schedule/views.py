# Views of views: a tile of A, a row of the tile, with the stride of one and the offset of the other as values.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), B: T.Buffer((4, 3, 4), "float32")):
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for j in T.thread_binding(3, thread="threadIdx.x"):
            with T.sblock("tile"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 8:vj * 8 + 8])
                T.writes(B[vi, vj, 0:4])
                V = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 8:vj * 8 + 8], (4, 8), "float32",
                                   strides=["s0", "s1"], offset_factor=1)
                for r in range(4):
                    with T.sblock("row"):
                        vr = T.axis.spatial(4, r)
                        T.reads(V[vr, 0:8])
                        T.writes(B[vi, vj, vr])
                        W = T.match_buffer(V[vr, 0:8], (8,), "float32", strides=["s"], offset_factor=1)
                        B[vi, vj, vr] = W[7] - W[0]


def reference(A):
    x = A.astype(np.float64).reshape(4, 4, 3, 8)
    return {"B": (x[..., 7] - x[..., 0]).transpose(0, 2, 1)}
