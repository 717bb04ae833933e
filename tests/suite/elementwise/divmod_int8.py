# Four divisions of int8, by every small divisor.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((256,), "int8"), B: T.Buffer((256,), "int8"), Q: T.Buffer((256,), "int8"),
             R: T.Buffer((256,), "int8"), TQ: T.Buffer((256,), "int8"), TR: T.Buffer((256,), "int8")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            Q[tx] = A[tx] // B[tx]
            R[tx] = A[tx] % B[tx]
            TQ[tx] = T.truncdiv(A[tx], B[tx])
            TR[tx] = T.truncmod(A[tx], B[tx])


DIVISORS = [d for d in range(-8, 9) if d != 0]
inputs = {
    "A": lambda rng: rng.integers(-100, 100, 256).astype("int8"),
    "B": lambda rng: np.resize(DIVISORS, 256).astype("int8"),
}


def reference(A, B):
    x, y = [int(v) for v in A], [int(v) for v in B]
    trunc = [(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
    return {
        "Q": np.array([a // b for a, b in zip(x, y)], "int8"),
        "R": np.array([a % b for a, b in zip(x, y)], "int8"),
        "TQ": np.array(trunc, "int8"),
        "TR": np.array([a - q * b for a, b, q in zip(x, y, trunc)], "int8"),
    }
