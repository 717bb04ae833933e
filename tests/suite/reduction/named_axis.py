# Reductions over threads that go by a name of the thread's index, and by a variable of the block around.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            lane: T.let = t
            with T.sblock("named"):
                vb = T.axis.spatial(4, b)
                vk = T.axis.reduce(32, lane)
                with T.init():
                    B[vb] = T.float32(0)
                B[vb] = B[vb] + A[vb, vk]
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("around"):
                ob = T.axis.spatial(4, b)
                ot = T.axis.reduce(32, t)
                T.reads(A[ob, ot])
                T.writes(C[ob])
                with T.sblock("within"):
                    vb = T.axis.spatial(4, ob)
                    vk = T.axis.reduce(32, ot)
                    with T.init():
                        C[vb] = T.min_value("float32")
                    C[vb] = T.max(C[vb], A[vb, vk])


outputs = {"B": ((4,), "float32"), "C": ((4,), "float32")}


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1), "C": A.max(axis=1)}
