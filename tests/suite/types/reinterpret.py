# The bits of a number as another type of its width.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), H: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "uint16")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        B[t] = T.reinterpret("float32", T.reinterpret("uint32", A[t]) ^ T.uint32(0x80000000))
        C[t] = T.reinterpret("uint16", H[t])


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32"), "H": lambda rng: rng.uniform(-1, 1, 64).astype("float16")}
tolerance = 0


def reference(A, H):
    return {"B": -A, "C": H.view("uint16")}
