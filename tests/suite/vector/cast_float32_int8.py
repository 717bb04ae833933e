# Four lanes cast from float32 to int8.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 4), "float32"), B: T.Buffer((32, 4), "int8")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for v in T.vectorized(4):
                B[tx, v] = T.Cast("int8", A[tx, v])


inputs = {"A": lambda rng: rng.integers(0, 100, (32, 4)).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A.astype("int8")}
