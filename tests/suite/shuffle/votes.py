# Votes of a simdgroup: of all its threads, and of those in a branch only.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64, 4), "int32"), M: T.Buffer((64,), "uint32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx, 0] = T.Cast("int32", T.metal.simd_any(A[tx] > 90))
        B[tx, 1] = T.Cast("int32", T.metal.simd_all(A[tx] >= 0))
        B[tx, 2] = 0
        B[tx, 3] = 0
        M[tx] = T.ballot_sync(T.uint32(0xFFFFFFFF), A[tx] % 2 == 0)
        if A[tx] > 50:
            B[tx, 2] = T.Cast("int32", T.any_sync(T.tvm_warp_activemask(), A[tx] % 3 == 0))
            B[tx, 3] = T.Cast("int32", T.all_sync(T.tvm_warp_activemask(), A[tx] % 2 == 1))


def reference(A):
    out, mask = np.zeros((64, 4), "int32"), np.zeros(64, "uint32")
    for group in range(0, 64, 32):
        a = A[group:group + 32]
        few = a[a > 50]
        out[group:group + 32, 0], out[group:group + 32, 1] = (a > 90).any(), (a >= 0).all()
        mask[group:group + 32] = sum(1 << i for i in range(32) if a[i] % 2 == 0)
        here = np.flatnonzero(a > 50) + group
        out[here, 2], out[here, 3] = (few % 3 == 0).any(), (few % 2 == 1).all()
    return {"B": out, "M": mask}


inputs = {"A": lambda rng: np.concatenate([rng.integers(0, 50, 31), [53], rng.integers(0, 100, 30), [96, -1]]).astype("int32")}
