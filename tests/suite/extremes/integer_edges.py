# Two's complement at the ends: the sum past the greatest, the least by -1, the size of the least, shifts of the width.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((4,), "int64")):
    for t in T.thread_binding(1, thread="threadIdx.x"):
        B[0] = A[0] + 1
        B[1] = T.truncdiv(A[1], A[2])
        B[2] = T.truncmod(A[1], A[2])
        B[3] = T.abs(A[1])
        B[4] = T.int32(1) << (A[3] - 1)
        B[5] = A[0] * 2
        B[6] = -A[1]
        B[7] = A[1] // A[2]
        C[0] = T.Cast("int64", A[0]) + T.int64(1)
        C[1] = T.Cast("int64", A[1]) // T.Cast("int64", A[2])
        C[2] = T.abs(T.Cast("int64", A[1]))
        C[3] = T.int64(1) << T.Cast("int64", A[3])


inputs = {"A": lambda rng: np.array([2**31 - 1, -(2**31), -1, 32], "int32")}


def reference(A):
    least = -(2**31)
    return {"B": np.array([least, least, 0, least, least, -2, least, least], "int32"), "C": np.array([2**31, 2**31, 2**31, 2**32], "int64")}
