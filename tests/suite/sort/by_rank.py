# Sorting by counting, for each element, how many come before it; equal ones keep their order.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((100,), "int32"), B: T.Buffer((100,), "int32"), P: T.Buffer((100,), "int32")):
    for t in T.thread_binding(100, thread="threadIdx.x"):
        rank: T.int32 = 0
        for k in range(100):
            if A[k] < A[t] or (A[k] == A[t] and k < t):
                rank = rank + 1
        B[rank] = A[t]
        P[rank] = t


inputs = {"A": lambda rng: rng.integers(-20, 20, 100).astype("int32")}


def reference(A):
    return {"B": np.sort(A), "P": np.argsort(A, kind="stable").astype("int32")}
