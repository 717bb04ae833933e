# Softmax under a mask of -inf; a row that is masked as a whole gives what the program says: 0 / 0.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "int32")):
    for i in T.thread_binding(4, thread="threadIdx.x"):
        m = T.min_value("float32")
        s = T.float32(0)
        for k in range(8):
            m = T.max(m, A[i, k])
        for k in range(8):
            s = s + T.if_then_else(A[i, k] == -T.infinity("float32"), T.float32(0), T.exp(A[i, k] - m))
        for k in range(8):
            B[i, k] = T.if_then_else(A[i, k] == -T.infinity("float32"), T.float32(0), T.exp(A[i, k] - m)) / s
            C[i, k] = T.Cast("int32", B[i, k] != B[i, k]) + T.Cast("int32", T.isnan(B[i, k])) * 2


def values(rng):
    a = rng.uniform(-2, 2, (4, 8)).astype("float32")
    a[1, ::2] = a[2] = -np.inf
    a[3, 1:] = -np.inf
    return a


inputs = {"A": values}


def reference(A):
    x = A.astype(np.float64)
    with np.errstate(invalid="ignore"):
        e = np.where(np.isinf(x), 0, np.exp(x - np.maximum(x.max(axis=1, keepdims=True), -3e38)))
        B = e / e.sum(axis=1, keepdims=True)
    return {"B": B, "C": np.isnan(B).astype("int32") * 3}
overflows = True
