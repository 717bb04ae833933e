# A reduction over 256 threads of a group, written as a block.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 256), "float32"), B: T.Buffer((6,), "float32")):
        for i in T.thread_binding(6, thread="blockIdx.x"):
            for k in T.thread_binding(256, thread="threadIdx.x"):
                with T.sblock("B"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        B[vi] = T.float32(1)
                    B[vi] = B[vi] * A[vi, vk]


inputs = {"A": lambda rng: rng.uniform(0.9, 1.1, (6, 256)).astype("float32")}


def reference(A):
    x = A.astype(np.float64)
    return {"B": x.prod(axis=1)}
