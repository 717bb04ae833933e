# Four bytes become four halves, lane by lane: not one number out of 32 bits.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "uint8"), C: T.Buffer((64,), "int8"), B: T.Buffer((64,), "float16"), D: T.Buffer((64,), "float16")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        for l in T.vectorized(4):
            B[t * 4 + l] = T.Cast("float16", A[t * 4 + l])
        for l in T.vectorized(4):
            D[t * 4 + l] = T.Cast("float16", C[t * 4 + l])


inputs = {"A": lambda rng: np.array([1, 2, 3, 250] * 16, "uint8"), "C": lambda rng: np.array([-1, -128, 127, 0] * 16, "int8")}
tolerance = 0


def reference(A, C):
    return {"B": A.astype("float16"), "D": C.astype("float16")}
