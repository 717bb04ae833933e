# Four divisions of int64, by every small divisor.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((256,), "int64"), B: T.Buffer((256,), "int64"), Q: T.Buffer((256,), "int64"),
             R: T.Buffer((256,), "int64"), TQ: T.Buffer((256,), "int64"), TR: T.Buffer((256,), "int64")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            Q[tx] = A[tx] // B[tx]
            R[tx] = A[tx] % B[tx]
            TQ[tx] = T.truncdiv(A[tx], B[tx])
            TR[tx] = T.truncmod(A[tx], B[tx])


DIVISORS = [d for d in range(-8, 9) if d != 0]
inputs = {
    "A": lambda rng: rng.integers(-100, 100, 256).astype("int64"),
    "B": lambda rng: np.resize(DIVISORS, 256).astype("int64"),
}


def reference(A, B):
    x, y = [int(v) for v in A], [int(v) for v in B]
    trunc = [(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
    return {
        "Q": np.array([a // b for a, b in zip(x, y)], "int64"),
        "R": np.array([a % b for a, b in zip(x, y)], "int64"),
        "TQ": np.array(trunc, "int64"),
        "TR": np.array([a - q * b for a, b, q in zip(x, y, trunc)], "int64"),
    }
