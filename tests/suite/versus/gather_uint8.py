# Vectors of bytes with a stride: four bytes, not one packed number.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((400,), "uint8"), B: T.Buffer((128,), "uint8")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        for v in T.vectorized(4):
            B[t * 4 + v] = A[t * 12 + v * 3 + 1] + T.uint8(7)


inputs = {"A": lambda rng: rng.integers(0, 256, 400).astype("uint8")}


def reference(A):
    return {"B": A[1:385:3] + np.uint8(7)}
