# T.if_then_else evaluates one arm only: the other may name elements that are not there.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((37,), "float32"), B: T.Buffer((37,), "float32")):
    for t in T.thread_binding(37, thread="threadIdx.x"):
        B[t] = T.if_then_else(t > 0, A[t - 1], T.float32(0)) + T.if_then_else(t < 36, A[t + 1], T.float32(0))


inputs = {"A": lambda rng: rng.uniform(-1, 1, 37).astype("float32")}


def reference(A):
    p = np.pad(A.astype(np.float64), 1)
    return {"B": p[:-2] + p[2:]}
