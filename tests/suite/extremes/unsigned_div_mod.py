# A quotient by a power of two and a remainder of it, unsigned, which is 0 for all small numbers.
from tvm.script import tirx as T


@T.prim_func
def main(B: T.Buffer((128,), "uint32"), C: T.Buffer((128,), "uint32"), D: T.Buffer((128,), "uint32")):
    for t in T.thread_binding(128, thread="threadIdx.x"):
        u: T.let = T.Cast("uint32", t)
        B[t] = (u // T.uint32(65536)) % T.uint32(10)
        C[t] = (u * T.uint32(1000000) // T.uint32(65536)) % T.uint32(6)
        D[t] = (T.uint32(4294967295) - u) // T.uint32(65536) % T.uint32(10)


def reference():
    u = np.arange(128, dtype="uint64")
    C = (u * 1000000 % 2**32) // 65536 % 6
    return {"B": np.zeros(128, "uint32"), "C": C.astype("uint32"), "D": np.full(128, 65535 % 10, "uint32")}
