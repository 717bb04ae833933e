# Values of 64 bits change lanes whole.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int64"), B: T.Buffer((32,), "int64")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        x: T.let = A[t]
        B[t] = T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), x, 31 - t, 32, 32)


inputs = {"A": lambda rng: rng.integers(-(2**63), 2**63 - 1, 32, dtype="int64")}


def reference(A):
    return {"B": A[::-1]}
