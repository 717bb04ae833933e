# Memory as a texture.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32", scope="texture"), B: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = A[t]
