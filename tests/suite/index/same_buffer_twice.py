# One buffer, read and written through two views of it.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        low = T.decl_buffer((32,), "float32", data=A.data)
        high = T.decl_buffer((32,), "float32", data=A.data, elem_offset=32)
        high[t] = low[t] + T.float32(1)
        low[t] = high[t] * T.float32(2)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}


def reference(A):
    x = A[:32].astype(np.float64)
    return {"A": np.concatenate([(x + 1) * 2, x + 1])}
