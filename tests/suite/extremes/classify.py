# Which numbers are NaN, infinite and finite.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), H: T.Buffer((16,), "float16"), C: T.Buffer((16,), "int32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        C[t] = (
            T.Cast("int32", T.isnan(A[t]))
            + T.Cast("int32", T.isinf(A[t])) * 2
            + T.Cast("int32", T.isfinite(A[t])) * 4
            + T.Cast("int32", T.isnan(H[t])) * 8
            + T.Cast("int32", T.isinf(H[t])) * 16
            + T.Cast("int32", T.isfinite(H[t])) * 32
        )


POINTS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3.4e38, 1e-45, -np.nan, 1, -1, 2, 3, 4, 5, 6, 7]
inputs = {"A": lambda rng: np.array(POINTS, "float32"), "H": lambda rng: np.array(POINTS[::-1]).clip(-65504, 65504).astype("float16")}


def reference(A, H):
    bits = [np.isnan(A), np.isinf(A), np.isfinite(A), np.isnan(H), np.isinf(H), np.isfinite(H)]
    return {"C": sum(b.astype("int32") << i for i, b in enumerate(bits))}
