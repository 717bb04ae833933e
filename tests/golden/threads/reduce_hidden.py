# A variable that can be assigned does not say that it is the thread's index.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 32), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4, 32), "float32")):
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            lane = t
            with T.sblock("hidden"):
                vb = T.axis.spatial(4, b)
                vk = T.axis.reduce(32, lane)
                T.reads(A[vb, vk])
                T.writes(B[vb])
                with T.init():
                    B[vb] = T.float32(0)
                B[vb] = B[vb] + A[vb, vk]
            start = b
            for k in range(4):
                with T.sblock("own_order"):
                    vb = T.axis.spatial(4, b)
                    vt = T.axis.spatial(32, t)
                    vk = T.axis.reduce(4, (k + start) % 4)
                    T.reads(A[vk, vt])
                    T.writes(C[vb, vt])
                    with T.init():
                        C[vb, vt] = T.float32(0)
                    C[vb, vt] = C[vb, vt] + A[vk, vt]
