# An array of each thread whose size is known at the launch only.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer((4,), "float32")):
    n = T.int32()
    for t in T.thread_binding(4, thread="threadIdx.x"):
        L = T.alloc_buffer((n,), "float32", scope="local")
        for k in range(n):
            L[k] = A[k]
        B[t] = L[t]
