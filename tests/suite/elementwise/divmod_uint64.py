# Four divisions of uint64, by every small divisor.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((256,), "uint64"), B: T.Buffer((256,), "uint64"), Q: T.Buffer((256,), "uint64"),
             R: T.Buffer((256,), "uint64"), TQ: T.Buffer((256,), "uint64"), TR: T.Buffer((256,), "uint64")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            Q[tx] = A[tx] // B[tx]
            R[tx] = A[tx] % B[tx]
            TQ[tx] = T.truncdiv(A[tx], B[tx])
            TR[tx] = T.truncmod(A[tx], B[tx])


DIVISORS = list(range(1, 17))
inputs = {
    "A": lambda rng: rng.integers(0, 100, 256).astype("uint64"),
    "B": lambda rng: np.resize(DIVISORS, 256).astype("uint64"),
}


def reference(A, B):
    x, y = [int(v) for v in A], [int(v) for v in B]
    trunc = [(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
    return {
        "Q": np.array([a // b for a, b in zip(x, y)], "uint64"),
        "R": np.array([a % b for a, b in zip(x, y)], "uint64"),
        "TQ": np.array(trunc, "uint64"),
        "TR": np.array([a - q * b for a, b, q in zip(x, y, trunc)], "uint64"),
    }
