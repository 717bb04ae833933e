# The host computes sizes and factors between launches, and launches a kernel under a condition.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), k: T.int32):
    half: T.let = k // 2
    for h in range(half):
        step: T.let = h * 2 + 1
        if step % 3 != 0:
            for t in T.thread_binding(64, thread="threadIdx.x"):
                B[t] = B[t] + A[(t + step) % 64] * T.Cast("float32", half)
        else:
            for t in T.thread_binding(32, thread="threadIdx.x"):
                B[t * 2] = B[t * 2] * T.float32(2)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32"), "B": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}
args = {"k": 11}


def reference(A, B, k):
    a, b, half = A.astype(np.float64), B.astype(np.float64), k // 2
    for h in range(half):
        step = h * 2 + 1
        if step % 3:
            b += a[(np.arange(64) + step) % 64] * half
        else:
            b[::2] *= 2
    return {"B": b}
