# A row's eight partial results are read by all threads, and one thread of each simdgroup then writes its own in their
# place: the later write has to wait for the slower readers.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
    for t in T.thread_binding(256, thread="threadIdx.x"):
        S = T.alloc_buffer((8,), "float32", scope="shared")
        m = T.alloc_buffer((1,), "float32", scope="local")
        if t % 32 == 0:
            S[t // 32] = A[t]
        m[0] = S[0]
        for k in range(1, 8):
            m[0] = T.max(m[0], S[k])
        if t % 32 == 0:
            S[t // 32] = m[0] + A[t]
        B[t] = m[0] + S[7 - t // 32]


def reference(A):
    first = A[::32].astype(np.float64)
    return {"B": first.max() + np.repeat((first.max() + first)[::-1], 32)}
