# Names that differ in case, in an underscore, and that are the same in nested scopes.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "float32"), a: T.Buffer((16,), "float32"), A_1: T.Buffer((16,), "float32"), A_ptr: T.float32):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        x: T.float32 = T.float32(0)
        for i in range(3):
            y: T.let = A[t] + T.Cast("float32", i)
            x = x + y
        for i in range(2):
            y: T.let = a[t] * T.Cast("float32", i + 1)
            x = x - y
        A_1[t] = x * A_ptr


inputs = {"A": lambda rng: rng.uniform(-1, 1, 16).astype("float32"), "a": lambda rng: rng.uniform(-1, 1, 16).astype("float32")}
args = {"A_ptr": 1.5}


def reference(A, a, A_ptr):
    return {"A_1": (3 * A.astype(np.float64) + 3 - 3 * a.astype(np.float64)) * A_ptr}
