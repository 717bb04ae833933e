# Two sums at once: of the values and of their squares, rows of threads over columns of threads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 96), "float32"), S: T.Buffer((12,), "float32"), Q: T.Buffer((12,), "float32")):
    for b in T.thread_binding(3, thread="blockIdx.x"):
        for y in T.thread_binding(4, thread="threadIdx.y"):
            for x in T.thread_binding(16, thread="threadIdx.x"):
                for r in T.serial(6):
                    with T.sblock("moments"):
                        vi = T.axis.spatial(12, b * 4 + y)
                        vk = T.axis.reduce(96, r * 16 + x)
                        T.reads(A[vi, vk])
                        T.writes(S[vi], Q[vi])
                        with T.init():
                            S[vi] = T.float32(0)
                            Q[vi] = T.float32(0)
                        s: T.let = S[vi] + A[vi, vk]
                        q: T.let = Q[vi] + A[vi, vk] * A[vi, vk]
                        S[vi] = s
                        Q[vi] = q


def reference(A):
    x = A.astype(np.float64)
    return {"S": x.sum(axis=1), "Q": (x * x).sum(axis=1)}
