# The arm that is not taken would divide by zero.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        C[t] = T.if_then_else(B[t] != 0, A[t] // B[t], 0) + T.if_then_else(B[t] != 0, A[t] % B[t], -5)


inputs = {"A": lambda rng: rng.integers(-99, 99, 64).astype("int32"), "B": lambda rng: rng.integers(-3, 4, 64).astype("int32")}


def reference(A, B):
    return {"C": np.array([a // b + a % b if b else -5 for a, b in zip(A.tolist(), B.tolist())], "int32")}
