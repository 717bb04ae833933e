# Buffers of bools: stored, read back, combined and chosen by.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "bool"), X: T.Buffer((64,), "float32"), B: T.Buffer((64,), "bool"), C: T.Buffer((64,), "int32")):
    for g in T.thread_binding(1, thread="blockIdx.x"):
        S = T.alloc_buffer((64,), "bool", scope="shared")
        for t in T.thread_binding(64, thread="threadIdx.x"):
            S[t] = X[t] > T.float32(0)
            B[t] = (A[t] and S[63 - t]) or not A[63 - t]
            C[t] = T.Cast("int32", A[t]) + T.if_then_else(S[t], 10, 20)


inputs = {"A": lambda rng: rng.integers(0, 2, 64).astype(bool), "X": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}


def reference(A, X):
    s = X > 0
    return {"B": (A & s[::-1]) | ~A[::-1], "C": (A + np.where(s, 10, 20)).astype("int32")}
