# Device memory that a kernel allocates and its threads share.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        S = T.alloc_buffer((16,), "float32")
        S[t] = A[t]
        B[t] = S[15 - t]
