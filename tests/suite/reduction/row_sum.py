# Each thread sums a row.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 50), "float32"), B: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(50):
                with T.sblock("B"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (64, 50)).astype("float32")}


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1)}
