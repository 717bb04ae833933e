# A loop on the host that writes device memory: no thread is bound.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        B[i] = A[i]
