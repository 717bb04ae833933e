# Phases of 32, 8 and 32 threads in one kernel, launched by siblings, with a loop around them.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 3, 32), "float32"), B: T.Buffer((4, 3, 32), "float32")):
    for g in T.thread_binding(4, thread="blockIdx.x"):
        S = T.alloc_buffer((32,), "float32", scope="shared")
        P = T.alloc_buffer((8,), "float32", scope="shared")
        for k in range(3):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                S[t] = A[g, k, t] * T.float32(2)
            for u in T.thread_binding(8, thread="threadIdx.x"):
                P[u] = S[u * 4] + S[u * 4 + 1] + S[u * 4 + 2] + S[u * 4 + 3]
            for w in T.thread_binding(32, thread="threadIdx.x"):
                B[g, k, w] = S[31 - w] + P[w % 8]


def reference(A):
    s = A.astype(np.float64) * 2
    p = s.reshape(4, 3, 8, 4).sum(axis=3)
    return {"B": s[:, :, ::-1] + np.tile(p, (1, 1, 4))}
