# A product whose inner dimension is split over threads and added up across them.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 128), "float32"), B: T.Buffer((128, 5), "float32"), C: T.Buffer((6, 5), "float32")):
    for i in T.thread_binding(6, thread="blockIdx.y"):
        for j in T.thread_binding(5, thread="blockIdx.x"):
            for k in range(4):
                for t in T.thread_binding(32, thread="threadIdx.x"):
                    with T.sblock("C"):
                        vi, vj = T.axis.remap("SS", [i, j])
                        vk = T.axis.reduce(128, t * 4 + k)
                        with T.init():
                            C[vi, vj] = T.float32(0)
                        C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]


def reference(A, B):
    return {"C": A.astype(np.float64) @ B.astype(np.float64)}
