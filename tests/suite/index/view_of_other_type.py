# The same words seen as whole numbers: the bits of floats without a conversion.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((40,), "float32"), B: T.Buffer((40,), "int32")):
    for t in T.thread_binding(40, thread="threadIdx.x"):
        V = T.decl_buffer((40,), "int32", data=A.data)
        B[t] = V[t] ^ T.reinterpret("int32", A[t] * T.float32(2))


inputs = {"A": lambda rng: rng.uniform(-1, 1, 40).astype("float32")}


def reference(A):
    return {"B": A.view("int32") ^ (A * np.float32(2)).view("int32")}
