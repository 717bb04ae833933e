# One allocation of threadgroup memory cannot belong to two kernels.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), n: T.int32):
    S = T.alloc_buffer((n,), "int32", scope="shared.dyn")
    for t in T.thread_binding(32, thread="threadIdx.x"):
        S[t % n] = A[t]
    assert n < 7, "between two kernels"
    with T.launch_thread("threadIdx.x", 16) as u:
        A[u] = S[u % n]
