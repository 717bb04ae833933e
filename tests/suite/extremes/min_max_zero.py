# The least and the greatest of infinities, of zeros with signs, and of the smallest numbers.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((49,), "float32"), B: T.Buffer((49,), "float32"), L: T.Buffer((49,), "float32"), G: T.Buffer((49,), "float32")):
    for t in T.thread_binding(49, thread="threadIdx.x"):
        L[t] = T.min(A[t], B[t])
        G[t] = T.max(A[t], B[t])


POINTS = np.array([np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-45], "float32")
inputs = {"A": lambda rng: np.repeat(POINTS, 7), "B": lambda rng: np.tile(POINTS, 7)}
tolerance = 0


def reference(A, B):
    return {"L": np.minimum(A, B), "G": np.maximum(A, B)}
