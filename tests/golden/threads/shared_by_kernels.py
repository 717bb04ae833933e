# Threadgroup memory does not outlive a kernel.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4, 32), "float32")):
    with T.sblock("root"):
        S = T.sblock_alloc_buffer((32,), "float32", scope="shared")
        for g in T.thread_binding(4, thread="blockIdx.x"):
            for i in T.thread_binding(32, thread="threadIdx.x"):
                S[i] = A[g, i]
        for h in T.thread_binding(4, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                B[h, j] = S[j]
