# Matrix product, an element a thread.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 40), "float32"), B: T.Buffer((40, 24), "float32"), C: T.Buffer((32, 24), "float32")):
        for by in T.thread_binding(4, thread="blockIdx.y"):
            for bx in T.thread_binding(3, thread="blockIdx.x"):
                for ty in T.thread_binding(8, thread="threadIdx.y"):
                    for tx in T.thread_binding(8, thread="threadIdx.x"):
                        for k in range(40):
                            with T.sblock("C"):
                                i = T.axis.spatial(32, by * 8 + ty)
                                j = T.axis.spatial(24, bx * 8 + tx)
                                vk = T.axis.reduce(40, k)
                                with T.init():
                                    C[i, j] = T.float32(0)
                                C[i, j] = C[i, j] + A[i, vk] * B[vk, j]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (32, 40)).astype("float32"),
          "B": lambda rng: rng.uniform(-1, 1, (40, 24)).astype("float32")}


def reference(A, B):
    return {"C": A.astype(np.float64) @ B.astype(np.float64)}
