# Slices as vectors, in loads and stores, with bounds that depend on the thread.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t * 4:t * 4 + 4] = A[124 - t * 4:128 - t * 4] + A[t * 4:t * 4 + 4]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 128).astype("float32")}


def reference(A):
    return {"B": A.reshape(32, 4)[::-1].reshape(-1).astype(np.float64) + A}
