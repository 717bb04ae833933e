# A softmax as a scheduler writes it: both reductions over threads into threadgroup memory of the rows' shape.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module(s_tir=True)
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((5, 200), "float32"), B: T.Buffer((5, 200), "float32")):
        M = T.sblock_alloc_buffer((5,), "float32", scope="shared")
        S = T.sblock_alloc_buffer((5,), "float32", scope="shared")
        for i in T.thread_binding(5, thread="blockIdx.x"):
            for r in T.serial(4):
                for t in T.thread_binding(64, thread="threadIdx.x"):
                    with T.sblock("M"):
                        vi = T.axis.spatial(5, i)
                        vk = T.axis.reduce(200, r * 64 + t)
                        T.where(r * 64 + t < 200)
                        with T.init():
                            M[vi] = T.min_value("float32")
                        M[vi] = T.max(M[vi], A[vi, vk])
            for r in T.serial(4):
                for t in T.thread_binding(64, thread="threadIdx.x"):
                    with T.sblock("S"):
                        vi = T.axis.spatial(5, i)
                        vk = T.axis.reduce(200, r * 64 + t)
                        T.where(r * 64 + t < 200)
                        with T.init():
                            S[vi] = T.float32(0)
                        S[vi] = S[vi] + T.exp(A[vi, vk] - M[vi])
            for r in T.serial(4):
                for t in T.thread_binding(64, thread="threadIdx.x"):
                    with T.sblock("B"):
                        vi = T.axis.spatial(5, i)
                        vk = T.axis.spatial(200, r * 64 + t)
                        T.where(r * 64 + t < 200)
                        B[vi, vk] = T.exp(A[vi, vk] - M[vi]) / S[vi]


def reference(A):
    x = A.astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return {"B": e / e.sum(axis=1, keepdims=True)}
