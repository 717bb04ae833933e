# The least number by -1, which has no positive counterpart; the remainders are zero.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8,), "int32"), L: T.Buffer((8,), "int64"), D: T.Buffer((8,), "int32"), B: T.Buffer((4, 8), "int32"),
         C: T.Buffer((4, 8), "int64")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        B[0, t] = A[t] // D[t]
        B[1, t] = A[t] % D[t]
        B[2, t] = T.truncdiv(A[t], D[t])
        B[3, t] = T.truncmod(A[t], D[t])
        C[0, t] = L[t] // T.Cast("int64", D[t])
        C[1, t] = L[t] % T.Cast("int64", D[t])
        C[2, t] = T.truncdiv(L[t], T.Cast("int64", D[t]))
        C[3, t] = T.truncmod(L[t], T.Cast("int64", D[t]))


inputs = {
    "A": lambda rng: np.full(8, -(2**31), "int32"),
    "L": lambda rng: np.full(8, -(2**63), "int64"),
    "D": lambda rng: np.array([-1, 1, -2, 2, 3, -3, 7, -7], "int32"),
}


def rows(a, d, bits):
    def wrap(v):
        return (v + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

    def trunc(x, y):
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    pairs = list(zip(a.tolist(), d.tolist()))
    out = [[x // y for x, y in pairs], [x % y for x, y in pairs], [trunc(x, y) for x, y in pairs],
           [x - y * trunc(x, y) for x, y in pairs]]
    return np.array([[wrap(v) for v in row] for row in out], f"int{bits}")


def reference(A, L, D):
    return {"B": rows(A, D, 32), "C": rows(L, D, 64)}
