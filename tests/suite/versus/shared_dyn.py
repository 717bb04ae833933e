# Dynamic threadgroup memory of two types whose sizes the build knows, with the barriers that it needs.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32")):
    for g in T.thread_binding(4, thread="blockIdx.x"):
        S = T.alloc_buffer((64,), "float32", scope="shared.dyn")
        N = T.alloc_buffer((64,), "int32", scope="shared.dyn")
        for t in T.thread_binding(64, thread="threadIdx.x"):
            S[t] = A[g, t]
            N[t] = t * 5 % 64
            B[g, t] = S[N[63 - t]]


tolerance = 0


def reference(A):
    return {"B": A[:, (63 - np.arange(64)) * 5 % 64]}
