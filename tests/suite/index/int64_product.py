# A product of indices that does not fit 32 bits before it is divided again.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), big: T.int64):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        at: T.let = (T.Cast("int64", t) * big + big // T.int64(2)) // big
        B[t] = A[T.int64(63) - at] + T.Cast("int32", (T.Cast("int64", A[t]) * big) >> T.int64(32))


inputs = {"A": lambda rng: rng.integers(-9999, 9999, 64).astype("int32")}
args = {"big": 3000000000000}


def reference(A, big):
    low = [(int(a) * big >> 32) for a in A]
    return {"B": np.array([(int(A[63 - t]) + low[t] + 2**31) % 2**32 - 2**31 for t in range(64)], "int32")}
