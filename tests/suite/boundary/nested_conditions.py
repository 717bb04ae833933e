# Conditions within conditions, each with reads that are valid in its arm only.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((10, 10), "float32")):
    for i in T.thread_binding(10, thread="threadIdx.y"):
        for j in T.thread_binding(10, thread="threadIdx.x"):
            B[i, j] = T.if_then_else(
                i >= 1 and i < 9,
                T.if_then_else(j >= 1 and j < 9, A[i - 1, j - 1], T.if_then_else(j == 0, A[i - 1, 0], A[i - 1, 7])),
                T.float32(-1),
            )


inputs = {"A": lambda rng: rng.uniform(-1, 1, (8, 8)).astype("float32")}
tolerance = 0


def reference(A):
    B = np.full((10, 10), -1, "float32")
    B[1:9] = np.pad(A, ((0, 0), (1, 1)), mode="edge")
    return {"B": B}
