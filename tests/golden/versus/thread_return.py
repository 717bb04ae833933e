# A thread that returns early.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        if t > 3:
            T.thread_return()
        B[t] = A[t]
