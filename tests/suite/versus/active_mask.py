# The lanes of a simdgroup that a branch has: all of them outside, every third within.
from tvm.script import tirx as T


@T.prim_func
def main(B: T.Buffer((2, 32), "uint32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[0, t] = T.Cast("uint32", T.tvm_warp_activemask())
        if t % 3 == 0:
            B[1, t] = T.Cast("uint32", T.tvm_warp_activemask())


def reference():
    third = np.arange(32) % 3 == 0
    mask = np.uint32(sum(1 << t for t in range(0, 32, 3)))
    return {"B": np.stack([np.full(32, 2**32 - 1, "uint32"), np.where(third, mask, 0).astype("uint32")])}
