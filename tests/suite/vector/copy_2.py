# A vectorized loop of 2 lanes over dense data.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 2), "float32"), B: T.Buffer((64, 2), "float32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for v in T.vectorized(2):
                B[tx, v] = A[tx, v] * T.float32(2) + T.float32(1)


inputs = {"A": lambda rng: rng.uniform(-1, 1, (64, 2)).astype("float32")}


def reference(A):
    return {"B": A * np.float32(2) + 1}
