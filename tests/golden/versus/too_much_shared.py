# More threadgroup memory than a threadgroup may have.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for g in T.thread_binding(1, thread="blockIdx.x"):
        S = T.alloc_buffer((16384,), "float32", scope="shared")
        for t in T.thread_binding(64, thread="threadIdx.x"):
            S[t * 256] = A[t]
            B[t] = S[(63 - t) * 256]
