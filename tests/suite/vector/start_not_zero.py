# Vectorized loops that begin elsewhere than at 0, one of them below it.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for t in T.thread_binding(2, thread="threadIdx.x"):
        for l in T.vectorized(2, 6):
            B[t * 16 + l] = A[t * 16 + l]
        for l in T.vectorized(-3, 5):
            B[t * 16 + l + 10] = A[t * 16 + l + 3] * T.Cast("float32", l)


tolerance = 0


def reference(A):
    B = np.zeros_like(A)
    for t in range(2):
        B[t * 16 + 2:t * 16 + 6] = A[t * 16 + 2:t * 16 + 6]
        for l in range(-3, 5):
            B[t * 16 + l + 10] = A[t * 16 + l + 3] * np.float32(l)
    return {"B": B}
