# A loop on the host launches the kernel three times.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 64), "float32"), B: T.Buffer((3, 64), "float32")):
        for h in range(3):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                B[h, tx] = A[h, tx] * T.Cast("float32", h + 1)


inputs = {"A": lambda rng: rng.uniform(-1, 1, (3, 64)).astype("float32")}


def reference(A):
    return {"B": A * np.arange(1, 4, dtype="float32")[:, None]}
