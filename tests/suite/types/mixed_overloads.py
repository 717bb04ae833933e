# Operands of unlike types meet in one type before a function sees them; no overload is left to choose.
from tvm.script import tirx as T


@T.prim_func
def main(H: T.Buffer((32,), "float16"), F: T.Buffer((32,), "float32"), S: T.Buffer((32,), "int8"), I: T.Buffer((32,), "int32"),
         B: T.Buffer((32,), "float16"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "int32"), E: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = T.max(T.min(T.max(H[t], 0), T.float16(1)), T.float16(0.25))
        C[t] = T.max(H[t], F[t]) + T.min(F[t], 1)
        D[t] = T.min(S[t], I[t]) + T.max(I[t], T.Cast("int32", S[t]))
        E[t] = T.Cast("float32", T.Select(t % 2 == 0, T.Cast("bfloat16", F[t]), T.bfloat16("-inf")))


tolerance = 0


def reference(H, F, S, I):
    half = np.float16
    near = lambda x: ((x.view("uint32").astype("uint64") + 0x7FFF + ((x.view("uint32") >> 16) & 1)) >> 16 << 16).astype("uint32")
    return {
        "B": np.maximum(np.minimum(np.maximum(H, half(0)), half(1)), half(0.25)),
        "C": np.maximum(H.astype("float32"), F) + np.minimum(F, np.float32(1)),
        "D": np.minimum(S.astype("int32"), I) + np.maximum(I, S.astype("int32")),
        "E": np.where(np.arange(32) % 2 == 0, near(F).view("float32"), -np.inf),
    }
