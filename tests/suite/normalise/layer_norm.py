# Layer norm over rows, a thread a row.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 64), "float32"), G: T.Buffer((64,), "float32"), H: T.Buffer((64,), "float32"),
             B: T.Buffer((32, 64), "float32")):
        for i in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("row"):
                T.reads(A[i, 0:64], G[0:64], H[0:64])
                T.writes(B[i, 0:64])
                s = T.sblock_alloc_buffer((2,), "float32", scope="local")
                s[0] = T.float32(0)
                s[1] = T.float32(0)
                for k in range(64):
                    s[0] += A[i, k]
                for k in range(64):
                    s[1] += (A[i, k] - s[0] / T.float32(64)) * (A[i, k] - s[0] / T.float32(64))
                for k in range(64):
                    B[i, k] = (A[i, k] - s[0] / T.float32(64)) * T.rsqrt(
                        s[1] / T.float32(64) + T.float32(1e-5)) * G[k] + H[k]


inputs = {"A": lambda rng: rng.uniform(-2, 2, (32, 64)).astype("float32"),
          "G": lambda rng: rng.uniform(0.5, 1.5, 64).astype("float32"),
          "H": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}
tolerance = 2e-5


def reference(A, G, H):
    x = A.astype(np.float64)
    mean, var = x.mean(axis=1, keepdims=True), x.var(axis=1, keepdims=True)
    return {"B": (x - mean) / np.sqrt(var + 1e-5) * G + H}
