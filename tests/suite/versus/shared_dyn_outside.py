# Dynamic memory that is allocated before the threads, one in a host loop around the launch.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32")):
    n = T.int32()
    S = T.alloc_buffer((n,), "int32", scope="shared.dyn")
    for r in range(3):
        R = T.alloc_buffer((n + 1,), "int16", scope="shared.dyn")
        for t in T.thread_binding(n, thread="threadIdx.x"):
            S[t] = A[t]
            R[t + 1] = T.Cast("int16", A[t])
            B[t] = B[t] + S[n - 1 - t] * r + T.Cast("int32", R[n - t])


def reference(A, B):
    return {"B": B + A[::-1] * 3 + A[::-1] * 3}


inputs = {"A": lambda rng: rng.integers(-99, 99, 33).astype("int32"), "B": lambda rng: rng.integers(0, 9, 33).astype("int32")}
