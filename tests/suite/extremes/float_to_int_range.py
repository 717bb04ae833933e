# Floats that no integer of the type equals: the nearest end, and 0 for NaN; from float32 and float16.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((40,), "float32"), H: T.Buffer((40,), "float16"),
         int8_o: T.Buffer((2, 40), "int8"),
         int16_o: T.Buffer((2, 40), "int16"),
         int32_o: T.Buffer((2, 40), "int32"),
         int64_o: T.Buffer((2, 40), "int64"),
         uint8_o: T.Buffer((2, 40), "uint8"),
         uint16_o: T.Buffer((2, 40), "uint16"),
         uint32_o: T.Buffer((2, 40), "uint32"),
         uint64_o: T.Buffer((2, 40), "uint64")):
    for t in T.thread_binding(40, thread="threadIdx.x"):
        int8_o[0, t] = T.Cast("int8", A[t])
        int8_o[1, t] = T.Cast("int8", H[t])
        int16_o[0, t] = T.Cast("int16", A[t])
        int16_o[1, t] = T.Cast("int16", H[t])
        int32_o[0, t] = T.Cast("int32", A[t])
        int32_o[1, t] = T.Cast("int32", H[t])
        int64_o[0, t] = T.Cast("int64", A[t])
        int64_o[1, t] = T.Cast("int64", H[t])
        uint8_o[0, t] = T.Cast("uint8", A[t])
        uint8_o[1, t] = T.Cast("uint8", H[t])
        uint16_o[0, t] = T.Cast("uint16", A[t])
        uint16_o[1, t] = T.Cast("uint16", H[t])
        uint32_o[0, t] = T.Cast("uint32", A[t])
        uint32_o[1, t] = T.Cast("uint32", H[t])
        uint64_o[0, t] = T.Cast("uint64", A[t])
        uint64_o[1, t] = T.Cast("uint64", H[t])


TYPES = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
LIMITS = [s * 2.0**e for e in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)]
POINTS = np.array(LIMITS + [np.nan, np.inf, -np.inf, 1e30, -1e30, 3e38, -0.5, -0.99, -1, -1.5, 127.5, -128.5, 255.5, 256.5, 65535.5, -32769,
                            2147483520, -2147483904, 0, -0.0], "float32")
with np.errstate(over="ignore"):
    inputs = {"A": np.resize(POINTS, 40), "H": np.resize(POINTS, 40).astype("float16")}


def reference(A, H):
    def convert(v, name):
        low, high = np.iinfo(name).min, np.iinfo(name).max
        return 0 if np.isnan(v) else high if v >= high else low if v <= low else int(v)

    return {f"{name}_o": np.array([[convert(float(v), name) for v in row] for row in (A, H)], name) for name in TYPES}
