# Virtual threads have threadgroup memory in common: the last one's value would be all that is left.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    for vx in T.thread_binding(4, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.alloc_buffer((32,), "float32", scope="shared")
            S[tx] = A[vx * 32 + tx]
            B[vx * 32 + tx] = S[31 - tx]
