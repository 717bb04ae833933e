# Loops that are written out, one within the other, with conditions on their variables.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32, 8), "int32"), B: T.Buffer((32,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = 0
        for i in T.unroll(4):
            for j in T.unroll(i, i + 4):
                if (i + j) % 2 == 0:
                    B[t] = B[t] * 3 + A[t, j]
                else:
                    B[t] = B[t] - A[t, i]


inputs = {"A": lambda rng: rng.integers(-9, 9, (32, 8)).astype("int32")}


def reference(A):
    out = np.zeros(32, np.int64)
    for i in range(4):
        for j in range(i, i + 4):
            out = out * 3 + A[:, j] if (i + j) % 2 == 0 else out - A[:, i]
    return {"B": out.astype("int32")}
