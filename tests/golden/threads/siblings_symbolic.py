# Two phases of one kernel whose thread counts cannot be compared.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(a: T.handle, b: T.handle, n: T.int32, m: T.int32):
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (m,), "float32")
    for g in T.thread_binding(4, thread="blockIdx.x"):
        for i in T.thread_binding(n, thread="threadIdx.x"):
            A[i] = 1.0
        for j in T.thread_binding(m, thread="threadIdx.x"):
            B[j] = 2.0
