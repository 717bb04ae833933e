# A prefix sum of blocks: each block's sums and its total, then the totals of those before it are added.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8, 32), "int32"), B: T.Buffer((8, 32), "int32")):
    W = T.alloc_buffer((8,), "int32")
    for g in T.thread_binding(8, thread="blockIdx.x"):
        S = T.alloc_buffer((2, 32), "int32", scope="shared")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            S[0, t] = A[g, t]
            for k in T.unroll(5):
                S[(k + 1) % 2, t] = S[k % 2, t] + T.if_then_else(t >= (1 << k), S[k % 2, t - (1 << k)], 0)
            B[g, t] = S[1, t]
            if t == 31:
                W[g] = S[1, t]
    for g in T.thread_binding(8, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for k in range(g):
                B[g, t] = B[g, t] + W[k]


def reference(A):
    return {"B": A.reshape(-1).cumsum().reshape(8, 32).astype("int32")}
