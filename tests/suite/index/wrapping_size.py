# Arithmetic on a size that overflows wraps in two's complement, though indices by sizes are taken not to overflow.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "int32"), B: T.Buffer(("n",), "int32"), C: T.Buffer(("n",), "int32"),
         D: T.Buffer(("n",), "int32")):
    n = T.int32()
    for t in T.thread_binding(n, thread="threadIdx.x"):
        B[t] = A[t] + ((n << 24) // 100) % 8
        C[t] = T.truncdiv(n * 2147483647, 16) & 3
        D[t] = T.max(T.int32(-2147483648) - n, n) % 4


inputs = {"A": lambda rng: rng.integers(-99, 99, 203).astype("int32")}


def reference(A):
    shifted, product = (203 << 24) - 2**32, 2**31 - 203  # what is left of them in 32 bits
    return {"B": A + shifted // 100 % 8, "C": np.full(203, product // 16 & 3, "int32"),
            "D": np.full(203, (2**31 - 203) % 4, "int32")}
