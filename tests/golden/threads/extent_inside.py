# The number of threads must be known when the kernel is launched.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((4, 32), "float32")):
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for j in T.thread_binding(i + 1, thread="threadIdx.x"):
            B[i, j] = A[j] + 1.0
