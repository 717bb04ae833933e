# A block whose predicate leaves out the threads beyond the end, over a size that no tile divides.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((1001,), "float32"), B: T.Buffer((1001,), "float32")):
    for i in T.thread_binding(16, thread="blockIdx.x"):
        for j in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("B"):
                v = T.axis.spatial(1001, i * 64 + j)
                T.where(i * 64 + j < 1001)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[1000 - v]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 1001).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A[::-1]}
