# Floats that lie within the whole numbers' range are cut towards zero, up to its ends.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((12,), "float32"), B: T.Buffer((12,), "int32"), C: T.Buffer((12,), "int8"), D: T.Buffer((12,), "uint8")):
    for t in T.thread_binding(12, thread="threadIdx.x"):
        B[t] = T.Cast("int32", A[t] * T.float32(16777216))
        C[t] = T.Cast("int8", A[t])
        D[t] = T.Cast("uint8", T.fabs(A[t]))


POINTS = [127.0, -128.0, 127.9, -127.9, 0.99, -0.99, 1.5, -1.5, 2.5, 0, -0.0, 100.25]
inputs = {"A": lambda rng: np.array(POINTS, "float32")}


def reference(A):
    x = A.astype(np.float64)
    return {"B": np.trunc(x * 2**24).astype("int32"), "C": np.trunc(x).astype("int8"), "D": np.trunc(abs(x)).astype("uint8")}
