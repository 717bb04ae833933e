# Two symbolic sizes over three buffers: the same name means the same number.
from tvm.script import tirx as T


@T.prim_func
def main(a: T.handle, b: T.handle, c: T.handle):
    n, m = T.int32(), T.int32()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (m,), "float32")
    C = T.match_buffer(c, (m, n), "float32")
    for i in T.thread_binding((n * m + 31) // 32, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            if i * 32 + t < n * m:
                C[(i * 32 + t) % m, (i * 32 + t) // m] = A[(i * 32 + t) // m, (i * 32 + t) % m] * B[(i * 32 + t) % m]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (13, 29)).astype("float32"),
          "B": lambda rng: rng.uniform(-1, 1, 29).astype("float32")}


def reference(A, B):
    return {"C": (A.astype(np.float64) * B).T}
