# Four-bit numbers as the elements of a buffer.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int4"), B: T.Buffer((32,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = T.Cast("int32", A[t])
