# 1000 threads reduce a row that is longer than the group.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 3000), "float32"), B: T.Buffer((2,), "float32")):
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for k in range(3):
            for t in T.thread_binding(1000, thread="threadIdx.x"):
                with T.sblock("sum"):
                    vi = T.axis.spatial(2, i)
                    vk = T.axis.reduce(3000, k * 1000 + t)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]


target = "apple/m1-gpu"
inputs = {"A": lambda rng: rng.uniform(-1, 1, (2, 3000)).astype("float32")}
tolerance = 1e-4


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1)}
