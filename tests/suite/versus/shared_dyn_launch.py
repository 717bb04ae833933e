# Dynamic threadgroup memory whose size only the launch knows.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
    n = T.int32()
    for g in T.thread_binding(1, thread="blockIdx.x"):
        S = T.alloc_buffer((n,), "float32", scope="shared.dyn")
        for t in T.thread_binding(n, thread="threadIdx.x"):
            S[t] = A[t]
            B[t] = S[n - 1 - t]


def reference(A):
    return {"B": A[::-1]}


tolerance = 0
inputs = {"A": lambda rng: rng.uniform(-1, 1, 77).astype("float32")}
outputs = {"B": ((77,), "float32")}
