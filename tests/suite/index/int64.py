# Indices of 64 bits, with extents of 64 bits.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((T.int64(12), T.int64(20)), "float32"), B: T.Buffer((T.int64(20), T.int64(12)), "float32")):
    for i in T.thread_binding(T.int64(12), thread="blockIdx.x"):
        for j in T.thread_binding(T.int64(20), thread="threadIdx.x"):
            B[(j * T.int64(7)) % T.int64(20), i] = A[i, j]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (12, 20)).astype("float32")}
tolerance = 0


def reference(A):
    B = np.zeros((20, 12), "float32")
    for j in range(20):
        B[j * 7 % 20] = A[:, j]
    return {"B": B}
