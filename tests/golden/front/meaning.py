# Every error is reported, and none that only follows from another.
import numpy as np
from tvm.script import tirx as T

pi = np.pi


@T.prim_func
def main(A: T.Buffer((16, 4), "float32"), B: T.Buffer((16,), "int32"), i: T.int32, x: T.float32, y):
    A[i] = 1.0
    missing = nothing + 1
    B[i] = missing
    for k in T.thread_binding(4, thread="threadIdx.w"):
        B[k] = k
    B[1] = i / 2
    B[2] = T.int8(300)
    B[3] = 3000000000
    B[4] = pi
    B[5] = T.frobnicate(i)
    S = T.alloc_buffer((4,), "float32", scope="wmma.matrix_a")
    S[0] = 1.0
    B[0:4] = 1
    try:
        B[6] = 1
    except ValueError:
        pass
    i = 4
    B[7] = x // 2
    for q in [1, 2, 3]:
        B[q] = q
    if i and x > 0.0:
        B[8] = y
