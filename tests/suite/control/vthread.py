# Virtual threads: two rows a thread, with memory of each.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 4, 32), "float32"), B: T.Buffer((2, 4, 32), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for v in T.thread_binding(4, thread="vthread.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                s = T.alloc_buffer((2,), "float32", scope="local")
                s[0] = A[g, v, t]
                s[1] = A[g, 3 - v, t]
                for k in range(3):
                    s[0] = s[0] * T.float32(0.5) + s[1]
                B[g, v, t] = s[0]


def reference(A):
    a, b = A.astype(np.float64), A[:, ::-1].astype(np.float64)
    return {"B": a / 8 + b * (1 + 0.5 + 0.25)}
