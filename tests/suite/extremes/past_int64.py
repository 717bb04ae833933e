# Whole numbers without a sign beyond the greatest of int64, bound to names, compared and divided.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "uint64"), B: T.Buffer((4, 16), "uint64")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        high: T.let = T.uint64(18446744073709551610)
        B[0, t] = high
        B[1, t] = ~T.uint64(5) - A[t]
        B[2, t] = T.Select(A[t] < high, high // T.uint64(10), A[t])
        B[3, t] = T.max(A[t], T.uint64(9223372036854775808)) % T.uint64(1000)


inputs = {"A": lambda rng: np.append(rng.integers(0, 2**63, 14).astype("uint64"), np.array([2**64 - 1, 2**64 - 6], "uint64"))}


def reference(A):
    high, a = 2**64 - 6, [int(v) for v in A]
    rows = [[high] * 16, [(high - v) % 2**64 for v in a], [high // 10 if v < high else v for v in a],
            [max(v, 2**63) % 1000 for v in a]]
    return {"B": np.array(rows, "uint64")}
