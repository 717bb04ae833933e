# Vectors read through a view of another type, from where they are not aligned.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((64,), "int32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        V = T.decl_buffer((128,), "int32", data=A.data)
        for v in T.vectorized(4):
            B[t * 4 + v] = V[t * 7 + v + 1]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 128).astype("float32")}


def reference(A):
    bits = A.view("int32")
    return {"B": np.concatenate([bits[t * 7 + 1:t * 7 + 5] for t in range(16)])}
