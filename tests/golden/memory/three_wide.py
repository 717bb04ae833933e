# Vectors of three take three elements' place: 2000 of them and as many int32 are 32000 bytes, which fit in 32768.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2000,), "float32x3"), B: T.Buffer((2000,), "float32x3")):
    for t in T.thread_binding(200, thread="threadIdx.x"):
        S = T.alloc_buffer((2000,), "float32x3", scope="shared")
        I = T.alloc_buffer((2000,), "int32", scope="shared")
        for k in range(10):
            S[k * 200 + t] = A[k * 200 + t]
            I[k * 200 + t] = t
        for k in range(10):
            B[k * 200 + t] = S[1999 - k * 200 - t] * T.broadcast(T.Cast("float32", I[1999 - k * 200 - t]), 3)
