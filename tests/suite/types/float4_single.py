# Single elements of float4_e2m1fn, two to a byte: read at any index, alone, in a ramp that begins odd, reversed, by an index from
# memory; stored two and four side by side. One buffer holds an odd number of them.
from tvm.script import tirx as T


@T.prim_func
def main(C: T.Buffer((128,), "uint8"), I: T.Buffer((256,), "int32"), V: T.Buffer((255,), "float32"), G: T.Buffer((256,), "float32"),
         R: T.Buffer((252,), "float32"), S: T.Buffer((128,), "uint8"), Q: T.Buffer((128,), "uint8"), L: T.Buffer((64,), "float32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        F = T.decl_buffer((256,), "float4_e2m1fn", data=C.data)
        O = T.decl_buffer((255,), "float4_e2m1fn", data=C.data)
        H = T.decl_buffer((256,), "float4_e2m1fn", data=S.data)
        K = T.decl_buffer((256,), "float4_e2m1fn", data=Q.data)
        own = T.alloc_buffer((6,), "float4_e2m1fn", scope="local")
        for k in range(4):
            if t * 4 + k < 255:
                V[t * 4 + k] = T.Cast("float32", O[254 - (t * 4 + k)])
            G[t * 4 + k] = T.Cast("float32", F[I[t * 4 + k]])
        if t < 63:
            R[t * 4:t * 4 + 4] = T.Cast("float32x4", F[t * 4 + 1:t * 4 + 5])
        H[t * 4:t * 4 + 2] = F[t * 4 + 2:t * 4 + 4]
        H[t * 4 + 2:t * 4 + 4] = T.Cast("float4_e2m1fnx2", T.Cast("float32x2", F[T.ramp(t * 4 + 1, -1, 2)]) * T.Broadcast(T.float32(2), 2))
        for v in T.vectorized(4):
            K[t * 4 + v] = F[t * 4 + v] + F[255 - (t * 4 + v)]
        for v in T.vectorized(6):
            own[v] = T.Cast("float4_e2m1fn", T.Cast("float32", v))
        L[t] = T.Cast("float32", own[t % 6]) + T.Cast("float32", own[5 - t % 6])


VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def encode(x):
    size = abs(float(x))
    return min(range(8), key=lambda c: (abs(VALUES[c] - min(size, 6.0)), c % 2)) | (8 if np.signbit(x) else 0)


def packed(values):
    codes = np.array([encode(x) for x in values]).reshape(-1, 2)
    return (codes[:, 0] | codes[:, 1] << 4).astype("uint8")


def reference(C, I, V, G, R, S, Q, L):
    codes = np.stack([C & 15, C >> 4], 1).reshape(-1)
    f = np.where(codes & 8, -VALUES[codes & 7], VALUES[codes & 7])
    quads = f.reshape(64, 4)
    h = np.concatenate([quads[:, 2:4], 2 * quads[:, 1::-1]], 1)
    own = np.array([0, 1, 2, 3, 4, 4])  # 5 lies between 4 and 6, and 4 has the even code
    t = np.arange(64)
    return {"V": f[254::-1].astype("float32"), "G": f[I].astype("float32"),
            "R": np.stack([f[4 * k + 1:4 * k + 5] for k in range(63)]).reshape(-1).astype("float32"), "S": packed(h.reshape(-1)),
            "Q": packed(f + f[::-1]), "L": (own[t % 6] + own[5 - t % 6]).astype("float32")}


tolerance = 0
inputs = {"C": lambda rng: rng.integers(0, 256, 128).astype("uint8"), "I": lambda rng: rng.integers(0, 256, 256).astype("int32")}
