# The largest of a row and then the sum of what is below it: rows longer than a group, what the first loop finds is used after it.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 5000), "float32"), B: T.Buffer((2, 2), "float32")):
    for i in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(256, thread="threadIdx.x"):
            S = T.alloc_buffer((256,), "float32", scope="shared")
            m = T.min_value("float32")
            for k in range(20):
                if k * 256 + t < 5000:
                    m = T.max(m, A[i, k * 256 + t])
            S[t] = m
            for step in T.unroll(8):
                if t < (128 >> step):
                    S[t] = T.max(S[t], S[t + (128 >> step)])
            best: T.let = S[0]
            s = T.float32(0)
            for k in range(20):
                if k * 256 + t < 5000:
                    s = s + (A[i, k * 256 + t] - best)
            S[t] = s
            for step in T.unroll(8):
                if t < (128 >> step):
                    S[t] = S[t] + S[t + (128 >> step)]
            if t == 0:
                B[i, 0] = best
                B[i, 1] = S[0]


def reference(A):
    x = A.astype(np.float64)
    return {"B": np.stack([x.max(axis=1), (x - x.max(axis=1, keepdims=True)).sum(axis=1)], axis=1)}
