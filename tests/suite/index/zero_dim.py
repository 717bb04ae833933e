# Buffers of no dimension hold one element.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        B[t] = A[()] * T.Cast("float32", t)
        if t == 15:
            C[()] = A[()] + T.float32(1)


inputs = {"A": lambda rng: np.array(0.75, "float32")}


def reference(A):
    return {"B": 0.75 * np.arange(16), "C": np.array(1.75)}
