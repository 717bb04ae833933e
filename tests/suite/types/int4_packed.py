# Eight signed numbers of four bits in a word: unpacked by shifts, scaled by groups, and multiplied with a vector.
from tvm.script import tirx as T


@T.prim_func
def main(W: T.Buffer((16, 8), "uint32"), S: T.Buffer((16, 2), "float16"), X: T.Buffer((64,), "float32"), Y: T.Buffer((16,), "float32")):
    for i in T.thread_binding(16, thread="threadIdx.x"):
        acc = T.alloc_buffer((1,), "float32", scope="local")
        acc[0] = T.float32(0)
        for k in range(64):
            nibble: T.let = T.Cast("int32", (W[i, k // 8] >> T.Cast("uint32", k % 8 * 4)) & T.uint32(15)) - 8
            acc[0] = acc[0] + T.Cast("float32", nibble) * T.Cast("float32", S[i, k // 32]) * X[k]
        Y[i] = acc[0]


inputs = {
    "W": lambda rng: rng.integers(0, 2**32, (16, 8)).astype("uint32"),
    "S": lambda rng: rng.uniform(0.01, 0.1, (16, 2)).astype("float16"),
    "X": lambda rng: rng.uniform(-1, 1, 64).astype("float32"),
}


def reference(W, S, X):
    w = (W[:, :, None] >> (np.arange(8, dtype="uint32") * 4) & 15).astype(np.int64).reshape(16, 64) - 8
    return {"Y": (w * np.repeat(S.astype(np.float64), 32, axis=1)) @ X.astype(np.float64)}
