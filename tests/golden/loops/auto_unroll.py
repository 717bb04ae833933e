# pragma_auto_unroll_max_step: loops without others inside are written out as far as their steps in all allow, also where
# a thread's loop says so.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64, 4, 3), "float32"), B: T.Buffer((64, 40), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x", annotations={"pragma_auto_unroll_max_step": 6, "pragma_unroll_explicit": 1}):
            for i in range(4):
                for j in range(3):
                    B[bx * 32 + tx, i * 3 + j] = A[bx * 32 + tx, i, j]
            for i in range(2):
                B[bx * 32 + tx, 12 + i * 2] = T.float32(1)
                B[bx * 32 + tx, 13 + i * 2] = T.float32(2)
            for i in range(7):
                B[bx * 32 + tx, 20 + i] = T.float32(3)
            for i in T.serial(2, unroll=False):
                B[bx * 32 + tx, 30 + i] = T.float32(4)
