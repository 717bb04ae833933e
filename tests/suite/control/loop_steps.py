# Loops that begin elsewhere than at 0, that step, and that have nothing to do.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), n: T.int32):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        B[t] = 0
        for i in range(3, 50, 7):
            B[t] = B[t] + A[i] * i
        for i in range(t, n, 5):
            B[t] = B[t] * 2 + i
        for i in range(n, n - 3):
            B[t] = 12345


inputs = {"A": lambda rng: rng.integers(-9, 9, 64).astype("int32")}
args = {"n": 40}


def reference(A, n):
    out = []
    for t in range(64):
        v = sum(int(A[i]) * i for i in range(3, 50, 7))
        for i in range(t, n, 5):
            v = v * 2 + i
        out.append(v)
    return {"B": np.array(out, "int32")}
