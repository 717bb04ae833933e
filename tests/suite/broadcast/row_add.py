# A row added to each row of a matrix.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 48), "float32"), R: T.Buffer((48,), "float32"), B: T.Buffer((64, 48), "float32")):
        for i in T.thread_binding(64, thread="blockIdx.x"):
            for j in T.thread_binding(48, thread="threadIdx.x"):
                with T.sblock("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj] + R[vj]


def reference(A, R):
    return {"B": A + R}


inputs = {"A": lambda rng: rng.uniform(-1, 1, (64, 48)).astype("float32"),
          "R": lambda rng: rng.uniform(-1, 1, 48).astype("float32")}
