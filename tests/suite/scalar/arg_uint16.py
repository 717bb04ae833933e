# A scalar argument of type uint16 arrives whole.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32,), "float32"), x: T.uint16, B: T.Buffer((32,), "float32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[tx] = A[tx] + T.Cast("float32", x)


args = {"x": 7}
inputs = {"A": lambda rng: rng.uniform(-1, 1, 32).astype("float32")}


def reference(A, x):
    return {"B": A + np.float32(x)}
