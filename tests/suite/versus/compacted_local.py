# A local array with a symbolic extent, of which a constant part is touched.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n",), "float32"), B: T.Buffer(("n",), "float32")):
    n = T.int32()
    L = T.sblock_alloc_buffer((n,), "float32", scope="local")
    for i in T.thread_binding(n // 4, thread="threadIdx.x"):
        for k in range(4):
            with T.sblock("load"):
                v = T.axis.spatial(n, i * 4 + k)
                L[v] = A[v] * T.float32(2)
        for k in range(4):
            with T.sblock("store"):
                v = T.axis.spatial(n, i * 4 + k)
                B[v] = L[v] + T.float32(1)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 32).astype("float32")}


def reference(A):
    return {"B": A.astype(np.float64) * 2 + 1}
