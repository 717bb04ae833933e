# Stages with the shape of the whole, below virtual threads and loops of one iteration, and a stage of a thread whose index is
# divided in blocks of 16: each keeps only what its threadgroup, or thread, has in hand.
from typing import TypeVar

from tvm.script import ir as I
from tvm.script import tirx as T

n = TypeVar("n")


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n, T.int64(2048)), "float32"), B: T.Buffer((n, T.int64(2048)), "float32")):
        S = T.sblock_alloc_buffer(((n + T.int64(31)) // T.int64(32) * T.int64(32), T.int64(2048)), "float32", scope="shared")
        L = T.sblock_alloc_buffer(((n + T.int64(15)) // T.int64(16), T.int64(2048), T.int64(16)), "float32", scope="local")
        for bx in T.thread_binding(T.int64(8), thread="blockIdx.x"):
            for by in T.thread_binding((n + T.int64(31)) // T.int64(32), thread="blockIdx.y"):
                for vy in T.thread_binding(T.int64(1), thread="vthread.y"):
                    for vx in T.thread_binding(T.int64(1), thread="vthread.x"):
                        for ty in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                            for tx in T.thread_binding(T.int64(16), thread="threadIdx.x"):
                                for j0 in range(T.int64(16)):
                                    for i in range(T.int64(16)):
                                        for u in T.vectorized(T.int64(1)):
                                            with T.sblock("stage"):
                                                vi = T.axis.spatial((n + T.int64(31)) // T.int64(32) * T.int64(32),
                                                                    by * T.int64(32) + ty * T.int64(16) + i + u)
                                                vj = T.axis.spatial(T.int64(2048), bx * T.int64(256) + j0 * T.int64(16) + tx)
                                                T.reads(A[vi, vj])
                                                T.writes(S[vi, vj])
                                                S[vi, vj] = T.if_then_else(vi < n, A[vi, vj], T.float32(0))
                                    for i in T.vectorized(T.int64(16)):
                                        with T.sblock("take"):
                                            vi = T.axis.spatial((n + T.int64(31)) // T.int64(32) * T.int64(32),
                                                                by * T.int64(32) + vy * T.int64(32) + ty * T.int64(16) + i)
                                            vj = T.axis.spatial(T.int64(2048), bx * T.int64(256) + vx * T.int64(256) + j0 * T.int64(16) + tx)
                                            T.where(by * T.int64(32) + ty * T.int64(16) + i < (n + T.int64(15)) // T.int64(16) * T.int64(16))
                                            T.reads(S[vi, bx * T.int64(256) + j0 * T.int64(16) + T.int64(15) - tx])
                                            T.writes(L[vi // T.int64(16), vj, vi % T.int64(16)])
                                            L[vi // T.int64(16), vj, vi % T.int64(16)] = S[vi, bx * T.int64(256) + j0 * T.int64(16) + T.int64(15) - tx]
                                    for i in T.unroll(T.int64(16)):
                                        with T.sblock("back"):
                                            vi = T.axis.spatial(n, by * T.int64(32) + ty * T.int64(16) + i)
                                            vj = T.axis.spatial(T.int64(2048), bx * T.int64(256) + j0 * T.int64(16) + tx)
                                            T.where(by * T.int64(32) + ty * T.int64(16) + i < n)
                                            T.reads(L[vi // T.int64(16), vj, T.int64(15) - vi % T.int64(16)])
                                            T.writes(B[vi, vj])
                                            B[vi, vj] = L[vi // T.int64(16), vj, T.int64(15) - vi % T.int64(16)]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (45, 2048)).astype("float32")}
outputs = {"B": ((45, 2048), "float32")}
tolerance = 0


def reference(A):
    padded = np.zeros((64, 2048), "float32")
    padded[:45] = A
    across = padded.reshape(64, 128, 16)[:, :, ::-1]
    down = across.reshape(4, 16, 2048)[:, ::-1]
    return {"B": down.reshape(64, 2048)[:45]}
