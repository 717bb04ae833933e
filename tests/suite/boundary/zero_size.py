# An extent of zero: no thread runs, and what the buffer holds stays.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer((4,), "float32")):
    n = T.int32()
    for i in T.thread_binding(n, thread="blockIdx.x"):
        for j in T.thread_binding(4, thread="threadIdx.x"):
            B[j] = A[i]


inputs = {"A": lambda rng: np.zeros(0, "float32"), "B": lambda rng: rng.uniform(-1, 1, 4).astype("float32")}
tolerance = 0


def reference(A, B):
    return {"B": B}
