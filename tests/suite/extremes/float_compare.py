# Comparisons with NaN, infinities and both zeros, stored as whole numbers.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        C[t] = (
            T.Cast("int32", A[t] < B[t])
            + T.Cast("int32", A[t] <= B[t]) * 2
            + T.Cast("int32", A[t] > B[t]) * 4
            + T.Cast("int32", A[t] >= B[t]) * 8
            + T.Cast("int32", A[t] == B[t]) * 16
            + T.Cast("int32", A[t] != B[t]) * 32
            + T.Cast("int32", not (A[t] > B[t])) * 64
            + T.Cast("int32", A[t] == A[t]) * 128
        )


POINTS = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-45], "float32")
inputs = {"A": lambda rng: np.repeat(POINTS, 8), "B": lambda rng: np.tile(POINTS, 8)}


def reference(A, B):
    bits = [A < B, A <= B, A > B, A >= B, A == B, A != B, ~(A > B), A == A]
    return {"C": sum(b.astype("int32") << i for i, b in enumerate(bits))}
