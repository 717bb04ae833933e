# Extents that are expressions of a size: twice as many, and one more.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n * 2",), "int32"), C: T.Buffer(("n + 1",), "int32")):
    n = T.int32()
    for t in T.thread_binding(n, thread="threadIdx.x"):
        B[t * 2] = A[t]
        B[t * 2 + 1] = -A[t]
        C[t + 1] = A[t]
        if t == 0:
            C[0] = n


inputs = {"A": lambda rng: rng.integers(-99, 99, 21).astype("int32")}


def reference(A):
    return {"B": np.stack([A, -A], axis=1).reshape(-1), "C": np.append(21, A).astype("int32")}
