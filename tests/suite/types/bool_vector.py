# Vectors of bools: compared, negated, stored and selected by.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "int32"), B: T.Buffer((128,), "bool"), C: T.Buffer((128,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        for v in T.vectorized(4):
            B[t * 4 + v] = A[t * 4 + v] % 3 == 0
        for v in T.vectorized(4):
            C[t * 4 + v] = T.Select(A[t * 4 + v] < 0 or A[t * 4 + v] > 10, -A[t * 4 + v], v)


inputs = {"A": lambda rng: rng.integers(-20, 20, 128).astype("int32")}


def reference(A):
    return {"B": A % 3 == 0, "C": np.where((A < 0) | (A > 10), -A, np.tile(np.arange(4), 32)).astype("int32")}
