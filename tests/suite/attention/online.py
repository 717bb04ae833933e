# Attention over tiles of keys with a running maximum, as the long ones are computed.
from tvm.script import tirx as T


@T.prim_func
def main(Q: T.Buffer((2, 8, 16), "float32"), K: T.Buffer((2, 40, 16), "float32"), V: T.Buffer((2, 40, 16), "float32"),
         O: T.Buffer((2, 8, 16), "float32")):
    for h in T.thread_binding(2, thread="blockIdx.x"):
        S = T.alloc_buffer((8, 8), "float32", scope="shared")
        for q in T.thread_binding(8, thread="threadIdx.y"):
            for t in T.thread_binding(8, thread="threadIdx.x"):
                m: T.float32 = T.float32("-inf")
                d: T.float32 = T.float32(0)
                acc = T.alloc_buffer((2,), "float32", scope="local")
                acc[0] = T.float32(0)
                acc[1] = T.float32(0)
                for tile in range(5):
                    s: T.float32 = T.float32(0)
                    for e in range(16):
                        s = s + Q[h, q, e] * K[h, tile * 8 + t, e]
                    S[q, t] = s * T.float32(0.25)
                    n: T.float32 = m
                    for k in range(8):
                        n = T.max(n, S[q, k])
                    f: T.let = T.exp(m - n)
                    d = d * f
                    acc[0] = acc[0] * f
                    acc[1] = acc[1] * f
                    for k in range(8):
                        p: T.let = T.exp(S[q, k] - n)
                        d = d + p
                        acc[0] = acc[0] + p * V[h, tile * 8 + k, t * 2]
                        acc[1] = acc[1] + p * V[h, tile * 8 + k, t * 2 + 1]
                    m = n
                O[h, q, t * 2] = acc[0] / d
                O[h, q, t * 2 + 1] = acc[1] / d


def reference(Q, K, V):
    s = np.einsum("hqe,hke->hqk", Q.astype(np.float64), K.astype(np.float64)) / 4
    p = np.exp(s - s.max(axis=2, keepdims=True))
    return {"O": (p / p.sum(axis=2, keepdims=True)) @ V.astype(np.float64)}
