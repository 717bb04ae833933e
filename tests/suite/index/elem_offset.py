# A view that begins within its buffer.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((50,), "float32"), B: T.Buffer((16,), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        V = T.decl_buffer((16,), "float32", data=A.data, elem_offset=30)
        B[t] = V[15 - t]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 50).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A[30:46][::-1]}
