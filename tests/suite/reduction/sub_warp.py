# Eight reductions of eight threads each, side by side in one group.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((24, 8), "float32"), B: T.Buffer((24,), "float32")):
    for g in T.thread_binding(3, thread="blockIdx.x"):
        for y in T.thread_binding(8, thread="threadIdx.y"):
            for x in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("sum"):
                    vi = T.axis.spatial(24, g * 8 + y)
                    vk = T.axis.reduce(8, x)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (24, 8)).astype("float32")}


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1)}
