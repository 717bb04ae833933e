# Sizes of dynamic threadgroup memory that only the kernel knows.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
    for g in T.thread_binding(4, thread="blockIdx.x"):
        S = T.alloc_buffer((g + 1,), "int32", scope="shared.dyn")
        R = T.alloc_buffer((A[0],), "int32", scope="shared.dyn")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            S[t % (g + 1)] = A[t]
            R[t % A[0]] = A[t]
            B[t] = S[g] + R[A[0] - 1]
