# An axis that Metal does not have.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for i in T.thread_binding(32, thread="threadIdx.w"):
        B[i] = A[i] + 1.0
