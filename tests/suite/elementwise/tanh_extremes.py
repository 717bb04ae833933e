# tanh where formulas overflow: one beyond 9, the sign of zero, infinities and NaN kept; also in half precision.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), H: T.Buffer((16,), "float16"), B: T.Buffer((16,), "float32"), G: T.Buffer((16,), "float16"),
         Z: T.Buffer((16,), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        B[t] = T.tanh(A[t])
        G[t] = T.tanh(H[t])
        Z[t] = T.float32(1) / T.tanh(A[t])


POINTS = [44, -44, 46, -46, 100, -100, np.inf, -np.inf, np.nan, 0.0, -0.0, 88.8, 89, -89, 1e-30, 3e38]
HALVES = [6, -6, 20, -20, 100, -100, np.inf, -np.inf, np.nan, 0.0, -0.0, 11, -11, 12, 65504, -65504]
inputs = {"A": lambda rng: np.array(POINTS, "float32"), "H": lambda rng: np.array(HALVES, "float16")}


def reference(A, H):
    t = np.tanh(A.astype(np.float64))
    with np.errstate(divide="ignore"):
        return {"B": t, "G": np.tanh(H.astype(np.float64)).astype("float16"), "Z": 1 / t}
overflows = True
