# A ramp along the first dimension of two.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8, 16), "float32"), B: T.Buffer((16, 8), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        for h in range(2):
            B[t, T.ramp(h * 4, 1, 4)] = A[T.ramp(h * 4, 1, 4), t]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (8, 16)).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A.T}
