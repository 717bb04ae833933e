# One axis with two extents, one inside the other.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for i in T.thread_binding(32, thread="threadIdx.x"):
        for j in T.thread_binding(16, thread="threadIdx.x"):
            B[i] = A[j] + 1.0
