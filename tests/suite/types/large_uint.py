# Constants of 64 bits without a sign.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "uint64"), B: T.Buffer((16,), "uint64")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        B[t] = (A[t] ^ T.uint64(0xFEDCBA9876543210)) * T.uint64(0x9E3779B97F4A7C15) + T.uint64(18446744073709551615)


inputs = {"A": lambda rng: rng.integers(0, 2**63, 16).astype("uint64")}


def reference(A):
    x = [((int(a) ^ 0xFEDCBA9876543210) * 0x9E3779B97F4A7C15 + 2**64 - 1) % 2**64 for a in A]
    return {"B": np.array(x, "uint64")}
