# Four lanes cast from bool to float32.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 4), "bool"), B: T.Buffer((32, 4), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for v in T.vectorized(4):
                B[tx, v] = T.Cast("float32", A[tx, v])


inputs = {"A": lambda rng: rng.integers(0, 2, (32, 4)).astype(bool)}
tolerance = 0


def reference(A):
    return {"B": A.astype("float32")}
