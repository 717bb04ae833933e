# The reduced axis is the slower one: each column of a group is summed.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 6, 10), "float32"), B: T.Buffer((4, 10), "float32")):
    for g in T.thread_binding(4, thread="blockIdx.x"):
        for y in T.thread_binding(6, thread="threadIdx.y"):
            for x in T.thread_binding(10, thread="threadIdx.x"):
                with T.sblock("max"):
                    vi, vk, vj = T.axis.remap("SRS", [g, y, x])
                    with T.init():
                        B[vi, vj] = T.min_value("float32")
                    B[vi, vj] = T.max(B[vi, vj], A[vi, vk, vj])


inputs = {"A": lambda rng: rng.uniform(-1, 1, (4, 6, 10)).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A.max(axis=1)}
