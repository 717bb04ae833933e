# float8_e8m0fnu, the scales of blocks: every code is read, stored again, and scales float4 values of a block.
from tvm.script import tirx as T


@T.prim_func
def main(C: T.Buffer((256,), "uint8"), W: T.Buffer((256, 16), "uint8"), V: T.Buffer((256,), "float32"), S: T.Buffer((256,), "uint8"),
         D: T.Buffer((256, 32), "float32")):
    for t in T.thread_binding(256, thread="threadIdx.x"):
        F = T.decl_buffer((256,), "float8_e8m0fnu", data=C.data)
        G = T.decl_buffer((256,), "float8_e8m0fnu", data=S.data)
        N = T.decl_buffer((256, 16), "float4_e2m1fnx2", data=W.data)
        V[t] = T.Cast("float32", F[t])
        G[t] = F[t]
        for i in range(16):
            D[t, i * 2:i * 2 + 2] = T.Cast("float32x2", N[t, i]) * T.Broadcast(T.Cast("float32", F[t]), 2)


VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def reference(C, W, V, S, D):
    scales = np.array([2.0 ** (c - 127) if c != 255 else np.nan for c in range(256)])
    numbers = np.stack([VALUES[W & 15], VALUES[W >> 4]], axis=2).reshape(256, 32)
    with np.errstate(over="ignore", invalid="ignore"):
        return {"V": scales.astype("float32"), "S": C, "D": (numbers * scales[:, None]).astype("float32")}


tolerance = 0
inputs = {"C": lambda rng: np.arange(256).astype("uint8"), "W": lambda rng: rng.integers(0, 256, (256, 16)).astype("uint8")}
overflows = True
