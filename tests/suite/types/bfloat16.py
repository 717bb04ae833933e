# bfloat16 in memory: rounded to the nearest, ties to even, and computed with in float32.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    for t in T.thread_binding(256, thread="threadIdx.x"):
        s = T.alloc_buffer((1,), "bfloat16", scope="local")
        s[0] = T.Cast("bfloat16", A[t])
        B[t] = T.Cast("float32", s[0]) + T.Cast("float32", T.Cast("bfloat16", A[t] * T.float32(1000)))


def values(rng):
    a = rng.uniform(-100, 100, 256).astype("float32")
    a[:8] = [0.0, -0.0, 1.00390625, 1.01171875, 3.0e38, -1e-40, 65504, 1.0]
    return a


inputs = {"A": values}
tolerance = 0


def nearest(x):
    bits = x.view("uint32").astype("uint64")
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    return bits.astype("uint32").view("float32")


def reference(A):
    with np.errstate(over="ignore"):
        return {"B": nearest(A) + nearest(A * np.float32(1000))}
overflows = True
