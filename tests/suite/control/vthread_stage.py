# Threadgroup memory of a block inside virtual threads, with the shape of the whole: each virtual thread has rows of its own.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), C: T.Buffer((32, 16), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for vx in T.thread_binding(2, thread="vthread"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("row"):
                    S = T.sblock_alloc_buffer((32, 16), "float32", scope="shared")
                    for j in range(16):
                        with T.sblock("stage"):
                            vi = T.axis.spatial(32, bx * 16 + vx * 8 + tx)
                            vj = T.axis.spatial(16, j)
                            S[vi, vj] = A[vi, vj] + T.float32(1)
                    for j in range(16):
                        with T.sblock("mirror"):
                            vi = T.axis.spatial(32, bx * 16 + vx * 8 + tx)
                            vj = T.axis.spatial(16, j)
                            C[vi, vj] = S[vi, 15 - vj] * T.float32(2)


outputs = {"C": ((32, 16), "float32")}
tolerance = 0


def reference(A):
    return {"C": (A[:, ::-1] + np.float32(1)) * np.float32(2)}
