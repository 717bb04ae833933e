# What may overflow wraps, as unsigned; the sums of an address and of loops do not need to.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((64,), "int32"), B: T.Buffer(("n",), "float32"), x: T.int32, y: T.int32):
    n = T.int32()
    for bx in T.thread_binding((n + 63) // 64, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            if bx * 64 + tx < n - 1 and x + 1 > y:
                B[bx * 64 + tx] = A[(C[tx] * 1103515245 + 12345) & 15] + A[x - y + tx]
