# A stencil of five points over tiles in shared memory, each loaded with its border.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    for by in T.thread_binding(4, thread="blockIdx.y"):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            S = T.alloc_buffer((10, 10), "float32", scope="shared")
            for ty in T.thread_binding(8, thread="threadIdx.y"):
                for tx in T.thread_binding(8, thread="threadIdx.x"):
                    for k in range(2):
                        e: T.let = k * 64 + ty * 8 + tx
                        if e < 100:
                            y: T.let = by * 8 + e // 10 - 1
                            x: T.let = bx * 8 + e % 10 - 1
                            S[e // 10, e % 10] = T.if_then_else(
                                0 <= y and y < 32 and 0 <= x and x < 32, A[y, x], T.float32(0)
                            )
                    B[by * 8 + ty, bx * 8 + tx] = (
                        S[ty, tx + 1] + S[ty + 2, tx + 1] + S[ty + 1, tx] + S[ty + 1, tx + 2] - T.float32(4) * S[ty + 1, tx + 1]
                    )


def reference(A):
    p = np.pad(A.astype(np.float64), 1)
    return {"B": p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * p[1:-1, 1:-1]}
