# 64-bit scalars arrive whole: 2^33 + 5, and the least and the greatest.
from tvm.script import tirx as T


@T.prim_func
def main(B: T.Buffer((6,), "int64"), n: T.int64, least: T.int64, most: T.uint64):
    for t in T.thread_binding(1, thread="threadIdx.x"):
        B[0] = n & T.int64(255)
        B[1] = n >> T.int64(32)
        B[2] = least
        B[3] = least >> T.int64(62)
        B[4] = T.Cast("int64", most >> T.uint64(1))
        B[5] = T.Cast("int64", most & T.uint64(7))


args = {"n": 2**33 + 5, "least": -(2**63), "most": 2**63 - 1}


def reference(n, least, most):
    return {"B": np.array([5, 2, -(2**63), -2, (2**63 - 1) >> 1, 7], "int64")}
