# Shifts of masked words and masks of shifted ones: shifts bind tighter than &, ^ and |, in scripts and in dumps.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((4, 64), "int32"), U: T.Buffer((64,), "uint8"), C: T.Buffer((2, 64), "uint8")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        B[0, t] = (A[t] & 255) << 4
        B[1, t] = A[t] & 255 << 4
        B[2, t] = (A[t] ^ 7) >> (t & 3)
        B[3, t] = A[t] | t << 1 + 2
        C[0, t] = T.max(~U[t], T.uint8(200))
        C[1, t] = T.Select(~U[t] < T.uint8(100), ~U[t] // T.uint8(3), T.uint8(1))


inputs = {
    "A": lambda rng: rng.integers(-(2**31), 2**31, 64).astype("int32"),
    "U": lambda rng: rng.integers(0, 256, 64).astype("uint8"),
}


def reference(A, U):
    t = np.arange(64)
    a = A.astype(np.int64)
    flipped = 255 - U.astype(np.int64)
    return {
        "B": np.array([(a & 255) << 4, a & 4080, (a ^ 7) >> (t & 3), a | t << 3], "int32"),
        "C": np.array([np.maximum(flipped, 200), np.where(flipped < 100, flipped // 3, 1)], "uint8"),
    }
