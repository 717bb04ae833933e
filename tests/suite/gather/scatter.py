# A scatter by a permutation with 64-bit indices.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), P: T.Buffer((64,), "int64"), B: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            B[P[i]] = A[i]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32"),
          "P": lambda rng: rng.permutation(64).astype("int64")}
tolerance = 0


def reference(A, P):
    B = np.zeros_like(A)
    B[P] = A
    return {"B": B}
