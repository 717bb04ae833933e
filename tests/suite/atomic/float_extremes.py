# Least and greatest with NaN, infinities and zeros of both signs: NaN stays, and -0 is less than 0.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8, 2), "float32"), L: T.Buffer((8,), "float32"), G: T.Buffer((8,), "float32")):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        L[tx] = A[tx, 0]
        G[tx] = A[tx, 0]
        T.atomic_min(L[tx], A[tx, 1])
        T.atomic_max(G[tx], A[tx, 1])
        # Reciprocals tell zeros of different signs apart.
        L[tx] = T.float32(1) / L[tx]
        G[tx] = T.float32(1) / G[tx]


pairs = [(0.0, -0.0), (-0.0, 0.0), (np.nan, 1.0), (1.0, np.nan), (np.inf, -np.inf), (-np.inf, 2.0), (3.0, 3.0), (-1.0, -2.0)]


def reference(A):
    least = np.array([-0.0, -0.0, np.nan, np.nan, -np.inf, -np.inf, 3.0, -2.0], "float32")
    greatest = np.array([0.0, 0.0, np.nan, np.nan, np.inf, 2.0, 3.0, -1.0], "float32")
    with np.errstate(divide="ignore"):
        return {"L": 1 / least, "G": 1 / greatest}


tolerance = 0
inputs = {"A": lambda rng: np.array(pairs, "float32")}
overflows = True
