# A loop of no steps within threads that do run.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((6, "m"), "float32"), B: T.Buffer((6,), "float32")):
    m = T.int32()
    for i in T.thread_binding(6, thread="threadIdx.x"):
        B[i] = T.float32(3)
        for k in range(m):
            B[i] = B[i] + A[i, k]


inputs = {"A": lambda rng: np.zeros((6, 0), "float32")}


def reference(A):
    return {"B": np.full(6, 3.0)}
