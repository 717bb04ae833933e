# A gather by an index buffer.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((100, 8), "float32"), I0: T.Buffer((32,), "int32"), B: T.Buffer((32, 8), "float32")):
        for i in T.thread_binding(32, thread="blockIdx.x"):
            for j in T.thread_binding(8, thread="threadIdx.x"):
                B[i, j] = A[I0[i], j]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (100, 8)).astype("float32"),
          "I0": lambda rng: rng.integers(0, 100, 32).astype("int32")}
tolerance = 0


def reference(A, I0):
    return {"B": A[I0]}
