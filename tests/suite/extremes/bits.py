# Set bits and leading zeros of every width.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), L: T.Buffer((64,), "int64"), U: T.Buffer((64,), "uint32"), B: T.Buffer((5, 64), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        B[0, t] = T.popcount(A[t])
        B[1, t] = T.clz(A[t])
        B[2, t] = T.Cast("int32", T.popcount(L[t]))
        B[3, t] = T.clz(L[t])
        B[4, t] = T.clz(U[t])


def spread(low, bits, dtype):
    def make(rng):
        return np.array([(int(v) >> (i % bits)) for i, v in enumerate(rng.integers(low, 2 ** (bits - 1), 64))], dtype)

    return make


inputs = {"A": spread(-(2**31), 32, "int32"), "L": spread(-(2**63), 64, "int64"), "U": spread(0, 32, "uint32")}


def reference(A, L, U):
    def unsigned(a, bits):
        return [int(v) % 2**bits for v in a]

    a, w, u = unsigned(A, 32), unsigned(L, 64), unsigned(U, 32)
    return {
        "B": np.array(
            [
                [bin(v).count("1") for v in a],
                [32 - v.bit_length() for v in a],
                [bin(v).count("1") for v in w],
                [64 - v.bit_length() for v in w],
                [32 - v.bit_length() for v in u],
            ],
            "int32",
        )
    }
