# Assertions in kernels: noted in a buffer of their own; a thread that fails returns, or leaves out what follows where threads meet.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32"), n: T.int32):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        assert A[t] >= 0 and A[t] < 32, ("ValueError", ["an index out of range"])
        B[A[t]] = t
    for t in T.thread_binding(32, thread="threadIdx.x"):
        S = T.alloc_buffer((32,), "int32", scope="shared")
        assert A[t] < n, "too large"
        S[A[t]] = B[t]
        x: T.let = n * 2
        B[t] = S[31 - t] + x
        A[t] = x
