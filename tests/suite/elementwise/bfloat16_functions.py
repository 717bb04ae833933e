# Functions in bfloat16: computed in float32 and rounded once.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((9, 64), "float32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        x = T.alloc_buffer((1,), "bfloat16", scope="local")
        x[0] = T.Cast("bfloat16", A[t])
        B[0, t] = T.Cast("float32", T.erf(x[0]))
        B[1, t] = T.Cast("float32", T.sqrt(T.fabs(x[0])))
        B[2, t] = T.Cast("float32", T.pow(T.fabs(x[0]), T.bfloat16(1.5)))
        B[3, t] = T.Cast("float32", T.exp10(x[0]))
        B[4, t] = T.Cast("float32", T.log1p(T.fabs(x[0])))
        B[5, t] = T.Cast("float32", T.atan2(x[0], T.bfloat16(2)))
        B[6, t] = T.Cast("float32", T.round(x[0]))
        B[7, t] = T.Cast("float32", T.hypot(x[0], T.bfloat16(3)))
        B[8, t] = T.Cast("float32", T.sigmoid(x[0]))


inputs = {"A": lambda rng: rng.uniform(-4, 4, 64).astype("float32")}
tolerance = 5e-3


def reference(A):
    bits = A.view("uint32").astype("uint64")
    x = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype("uint32").view("float32").astype(np.float64)
    size = np.abs(x)
    return {"B": np.array([[math.erf(v) for v in x], np.sqrt(size), size**1.5, 10.0**x, np.log1p(size), np.arctan2(x, 2), np.rint(x),
                           np.hypot(x, 3), 1 / (1 + np.exp(-x))])}
