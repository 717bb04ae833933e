# Checks on the host, before the kernel and between kernels, that hold.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32"), k: T.int32):
    n = T.int32()
    assert n % 4 == 0, "n must be a multiple of 4"
    for t in T.thread_binding(n, thread="threadIdx.x"):
        B[t] = A[t] * T.Cast("float32", k)
    assert k > 0 and k < 10, ("ValueError", ["k out of range"])
    for u in T.thread_binding(n // 4, thread="threadIdx.x"):
        for v in range(4):
            B[u * 4 + v] = B[u * 4 + v] + T.Cast("float32", v)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}
args = {"k": 3}


def reference(A, k):
    return {"B": A.astype(np.float64) * k + np.tile(np.arange(4), 16)}
