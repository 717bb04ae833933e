# "not (x > 0)" is no "x <= 0" where x is NaN, and "x == x" is false there.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((2, 8), "bool")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        B[0, t] = not (A[t] > T.float32(0))
        B[1, t] = A[t] == A[t]


inputs = {"A": lambda rng: np.array([np.nan, 1, -1, 0, np.inf, -np.inf, np.nan, 2], "float32")}


def reference(A):
    return {"B": np.stack([~(A > 0), ~np.isnan(A)])}
