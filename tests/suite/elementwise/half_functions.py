# Functions in half precision, those among them that Metal lacks too: within a unit in the last place or so.
from tvm.script import tirx as T


@T.prim_func
def main(H: T.Buffer((64,), "float16"), B: T.Buffer((12, 64), "float16"), C: T.Buffer((4, 64), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        B[0, t] = T.erf(H[t])
        B[1, t] = T.sqrt(T.fabs(H[t]))
        B[2, t] = T.pow(T.fabs(H[t]), T.float16(1.5))
        B[3, t] = T.exp10(H[t])
        B[4, t] = T.log1p(T.fabs(H[t]))
        B[5, t] = T.atan2(H[t], T.float16(2))
        B[6, t] = T.fmod(H[t], T.float16(1.5))
        B[7, t] = T.round(H[t])
        B[8, t] = T.hypot(H[t], T.float16(3))
        B[9, t] = T.sigmoid(H[t])
        B[10, t] = T.Select(T.isnan(H[t]), T.float16("nan"), T.infinity("float16"))
        B[11, t] = T.Select(T.isinf(H[t]), T.float16("-inf"), H[t])
        C[0, t] = T.popcount(T.Cast("int32", H[t]))
        C[1, t] = T.Cast("int32", T.isnan(H[t]))
        C[2, t] = T.Cast("int32", T.isinf(H[t]))
        C[3, t] = T.clz(T.Cast("int32", T.fabs(H[t])))


inputs = {"H": lambda rng: np.concatenate([[0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 4, -4], rng.uniform(-4, 4, 56)]).astype("float16")}
tolerance = 2e-3


def reference(H):
    h = H.astype(np.float64)
    size = np.abs(h)
    whole = H.astype("int32")
    rows = [
        [math.erf(x) for x in h], np.sqrt(size), size**1.5, 10.0**h, np.log1p(size), np.arctan2(h, 2), np.fmod(h, 1.5), np.rint(h),
        np.hypot(h, 3), 1 / (1 + np.exp(-h)), np.full(64, np.inf), h,
    ]
    bits = lambda v: bin(int(v) & 0xFFFFFFFF).count("1")
    counts = [[bits(v) for v in whole], np.zeros(64), np.zeros(64), [32 - int(abs(v)).bit_length() for v in whole]]
    return {"B": np.array(rows), "C": np.array(counts, "int32")}
