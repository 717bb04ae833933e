# Square roots by Newton's steps, until they no longer move: each thread goes round as often as it needs.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), N: T.Buffer((64,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        x: T.float32 = A[t]
        n: T.int32 = 0
        while n < 40 and T.fabs(x * x - A[t]) > A[t] * T.float32(1e-5):
            x = (x + A[t] / x) * T.float32(0.5)
            n = n + 1
        B[t] = x
        N[t] = T.Cast("int32", n < 40)


inputs = {"A": lambda rng: (10 ** rng.uniform(-3, 3, 64)).astype("float32")}
tolerance = 1e-4


def reference(A):
    return {"B": np.sqrt(A.astype(np.float64)), "N": np.ones(64, "int32")}
