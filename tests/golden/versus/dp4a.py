# A product of four bytes with four: no intrinsic of Metal.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int8x4"), B: T.Buffer((32,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = T.dp4a(A[t], A[t], 0)
