# More threads than a threadgroup may have.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32")):
    for t in T.thread_binding(4096, thread="threadIdx.x"):
        B[t] = A[t]
