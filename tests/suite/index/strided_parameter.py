# A parameter with a row pitch: what lies between the rows is not touched.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for t in T.thread_binding(6, thread="threadIdx.x"):
        V = T.decl_buffer((6, 7), "float32", data=A.data, strides=[10, 1])
        W = T.decl_buffer((7, 6), "float32", data=B.data, strides=[1, 8], elem_offset=3)
        for k in range(7):
            W[k, t] = V[t, k] * T.float32(2)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}
tolerance = 0


def reference(A):
    B = np.zeros(64, "float32")
    for t in range(6):
        for k in range(7):
            B[3 + k + 8 * t] = 2 * A[t * 10 + k]
    return {"B": B}
