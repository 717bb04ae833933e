# Scratch memory of a threadgroup is "shared"; "global" is the host's.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 16), "float32"), B: T.Buffer((2, 16), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        with T.sblock("group"):
            S = T.sblock_alloc_buffer((16,), "float32")
            for i in T.thread_binding(16, thread="threadIdx.x"):
                S[i] = A[g, i]
            for j in T.thread_binding(16, thread="threadIdx.x"):
                B[g, j] = S[15 - j]
