# A reduction over threads in a kernel without blockIdx, of an extent that takes threadgroup memory.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 37), "float32"), B: T.Buffer((6,), "float32")):
    for i in T.thread_binding(6, thread="threadIdx.y"):
        for k in T.thread_binding(37, thread="threadIdx.x"):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.float32(0)
                B[vi] = B[vi] + A[vi, vk]


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1)}
