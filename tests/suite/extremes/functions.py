# tanh, erf, exp, sigmoid and log at the ends: they go to their limits, and NaN stays NaN.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((20,), "float32"), B: T.Buffer((5, 20), "float32")):
    for t in T.thread_binding(20, thread="threadIdx.x"):
        B[0, t] = T.tanh(A[t])
        B[1, t] = T.erf(A[t])
        B[2, t] = T.exp(A[t])
        B[3, t] = T.sigmoid(A[t])
        B[4, t] = T.log(A[t])


POINTS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 88.0, -87.0, 100, -100, 1e-30, -1e-30, 1e30, -1e30, 9, -9, 4, -4, 20, -20, 1]
inputs = {"A": lambda rng: np.array(POINTS, "float32")}
tolerance = 2e-5


def reference(A):
    x = A.astype(np.float64)
    with np.errstate(all="ignore"):
        e = np.exp(x)
        e[e > np.finfo("float32").max] = np.inf
        return {"B": np.stack([np.tanh(x), [math.erf(v) for v in x], e, 1 / (1 + np.exp(-x)), np.log(x)])}
overflows = True
