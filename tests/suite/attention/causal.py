# Masked attention for one head, a query a threadgroup.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((16, 32), "float32"), K: T.Buffer((16, 32), "float32"), V: T.Buffer((16, 32), "float32"),
             O: T.Buffer((16, 32), "float32")):
        for q in T.thread_binding(16, thread="blockIdx.x"):
            for d in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("attention"):
                    T.reads(Q[q, 0:32], K[0:16, 0:32], V[0:16, d])
                    T.writes(O[q, d])
                    s = T.sblock_alloc_buffer((16,), "float32", scope="shared")
                    r = T.sblock_alloc_buffer((3,), "float32", scope="local")
                    if d < 16:
                        s[d] = T.float32(0)
                        for k in range(32):
                            s[d] = s[d] + Q[q, k] * K[d, k]
                        s[d] = T.if_then_else(d <= q, s[d] * T.float32(0.17677669), T.float32("-inf"))
                    T.tvm_storage_sync("shared")
                    r[0] = T.float32("-inf")
                    for k in range(16):
                        r[0] = T.max(r[0], s[k])
                    r[1] = T.float32(0)
                    r[2] = T.float32(0)
                    for k in range(16):
                        r[1] = r[1] + T.exp(s[k] - r[0])
                        r[2] = r[2] + T.exp(s[k] - r[0]) * V[k, d]
                    O[q, d] = r[2] / r[1]


inputs = {name: lambda rng: rng.uniform(-1, 1, (16, 32)).astype("float32") for name in "QKV"}


def reference(Q, K, V):
    s = Q.astype(np.float64) @ K.astype(np.float64).T * 0.17677669
    s[np.triu_indices(16, 1)] = -np.inf
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return {"O": e / e.sum(axis=1, keepdims=True) @ V.astype(np.float64)}
