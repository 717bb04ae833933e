# An assertion of a kernel: Metal has no way to stop one.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        assert A[t] > T.float32(0), "A must be positive"
        B[t] = A[t]
