# Threads that return early: by either name, from within loops, before a kernel that all of them take part in; and a return that
# all threads of a group take together, before a barrier.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32"), n: T.int32):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            if b * 32 + t >= n:
                return
            for k in range(10):
                if A[b * 32 + t] == k:
                    B[b * 32 + t] = k * 100
                    T.thread_return()
            B[b * 32 + t] = -1
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            S = T.alloc_buffer((32,), "int32", scope="shared")
            if b * 32 >= n:
                return
            S[t] = A[b * 32 + t]
            C[b * 32 + t] = S[31 - t]


def reference(A, B, C, n):
    B, C = B.copy(), C.copy()
    B[:n] = np.where((A[:n] >= 0) & (A[:n] < 10), A[:n] * 100, -1)
    C[:32] = A[31::-1]
    return {"B": B, "C": C}


args = {"n": 29}
