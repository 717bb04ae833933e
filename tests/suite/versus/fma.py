# A product and a sum with one rounding.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        D[t] = T.fma(A[t], B[t], C[t])


inputs = {
    "A": lambda rng: (1 + rng.uniform(0, 1, 64) * 2.0**-12).astype("float32"),
    "B": lambda rng: (1 - rng.uniform(0, 1, 64) * 2.0**-12).astype("float32"),
    "C": lambda rng: np.full(64, -1, "float32"),
}
tolerance = 0


def reference(A, B, C):
    return {"D": (A.astype(np.float64) * B.astype(np.float64) - 1).astype("float32")}
