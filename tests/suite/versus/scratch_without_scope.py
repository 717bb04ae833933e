# Scratch memory without a scope inside a kernel is each thread's own.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16, 4), "float32"), B: T.Buffer((16, 4), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        S = T.alloc_buffer((4,), "float32")
        for k in range(4):
            S[k] = A[t, k]
        for k in range(4):
            B[t, k] = S[3 - k]


tolerance = 0


def reference(A):
    return {"B": A[:, ::-1]}
