# Rows of 64 threads, eight of them in a group of 512: each reduction spans two simdgroups of sixteen.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 64), "float32"), B: T.Buffer((16,), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for y in T.thread_binding(8, thread="threadIdx.y"):
            for x in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("sum"):
                    vi = T.axis.spatial(16, g * 8 + y)
                    vk = T.axis.reduce(64, x)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]


target = "apple/m1-gpu"
inputs = {"A": lambda rng: rng.uniform(-1, 1, (16, 64)).astype("float32")}


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1)}
