# Shifts of each width by every amount below it; those to the right keep the sign.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), U: T.Buffer((64,), "uint32"), L: T.Buffer((64,), "int64"), B: T.Buffer((3, 64), "int32"),
         C: T.Buffer((64,), "int64")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        B[0, t] = A[t] << (t % 32)
        B[1, t] = A[t] >> (t % 32)
        B[2, t] = T.Cast("int32", U[t] >> T.Cast("uint32", t % 32))
        C[t] = (L[t] << T.Cast("int64", t)) ^ (L[t] >> T.Cast("int64", t))


inputs = {
    "A": lambda rng: rng.integers(-(2**31), 2**31, 64).astype("int32"),
    "U": lambda rng: rng.integers(0, 2**32, 64).astype("uint32"),
    "L": lambda rng: rng.integers(-(2**63), 2**63, 64),
}


def reference(A, U, L):
    s = np.arange(64) % 32
    left = [((int(a) << int(n)) + 2**31) % 2**32 - 2**31 for a, n in zip(A, s)]
    wide = [(((int(a) << n) + 2**63) % 2**64 - 2**63) ^ (int(a) >> n) for n, a in enumerate(L)]
    return {"B": np.array([left, A >> s, (U >> s).astype("uint32").view("int32")], "int32"), "C": np.array(wide, "int64")}
