# Four divisions of int16, by every small divisor.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((256,), "int16"), B: T.Buffer((256,), "int16"), Q: T.Buffer((256,), "int16"),
             R: T.Buffer((256,), "int16"), TQ: T.Buffer((256,), "int16"), TR: T.Buffer((256,), "int16")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            Q[tx] = A[tx] // B[tx]
            R[tx] = A[tx] % B[tx]
            TQ[tx] = T.truncdiv(A[tx], B[tx])
            TR[tx] = T.truncmod(A[tx], B[tx])


DIVISORS = [d for d in range(-8, 9) if d != 0]
inputs = {
    "A": lambda rng: rng.integers(-100, 100, 256).astype("int16"),
    "B": lambda rng: np.resize(DIVISORS, 256).astype("int16"),
}


def reference(A, B):
    x, y = [int(v) for v in A], [int(v) for v in B]
    trunc = [(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x, y)]
    return {
        "Q": np.array([a // b for a, b in zip(x, y)], "int16"),
        "R": np.array([a % b for a, b in zip(x, y)], "int16"),
        "TQ": np.array(trunc, "int16"),
        "TR": np.array([a - q * b for a, b, q in zip(x, y, trunc)], "int16"),
    }
