# A permutation of four dimensions, over sizes that are not powers of two.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 5, 7, 2), "int16"), B: T.Buffer((7, 3, 2, 5), "int16")):
    for f in T.thread_binding(7, thread="blockIdx.x"):
        for t in T.thread_binding(30, thread="threadIdx.x"):
            with T.sblock("permute"):
                vk = T.axis.spatial(7, f)
                vi = T.axis.spatial(3, t // 10)
                vl = T.axis.spatial(2, t // 5 % 2)
                vj = T.axis.spatial(5, t % 5)
                B[vk, vi, vl, vj] = A[vi, vj, vk, vl]


inputs = {"A": lambda rng: rng.integers(-999, 999, (3, 5, 7, 2)).astype("int16")}


def reference(A):
    return {"B": A.transpose(2, 0, 3, 1)}
