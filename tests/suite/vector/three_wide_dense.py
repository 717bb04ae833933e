# Threads fill one dense row three elements at a time, in threadgroup and in device memory, in four widths: a store of
# three lanes touches three elements, not four.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((24,), "float32"), H: T.Buffer((24,), "float16"), C: T.Buffer((24,), "int8"), I: T.Buffer((24,), "int32"),
         B: T.Buffer((24,), "float32"), G: T.Buffer((24,), "float16"), D: T.Buffer((24,), "int8"), J: T.Buffer((24,), "int32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        S = T.alloc_buffer((24,), "float32", scope="shared")
        U = T.alloc_buffer((24,), "float16", scope="shared")
        V = T.alloc_buffer((24,), "int8", scope="shared")
        W = T.alloc_buffer((24,), "int32", scope="shared")
        for v in T.vectorized(3):
            S[(7 - t) * 3 + v] = A[t * 3 + v]
        for v in T.vectorized(3):
            U[(7 - t) * 3 + v] = H[t * 3 + v]
        for v in T.vectorized(3):
            V[(7 - t) * 3 + v] = C[t * 3 + v]
        for v in T.vectorized(3):
            W[(7 - t) * 3 + v] = I[t * 3 + v]
        for v in T.vectorized(3):
            B[t * 3 + v] = S[t * 3 + v]
        for v in T.vectorized(3):
            G[t * 3 + v] = U[t * 3 + v]
        for v in T.vectorized(3):
            D[t * 3 + v] = V[t * 3 + v]
        for v in T.vectorized(3):
            J[t * 3 + v] = W[t * 3 + v]


tolerance = 0


def reference(A, H, C, I):
    back = lambda x: x.reshape(8, 3)[::-1].ravel()
    return {"B": back(A), "G": back(H), "D": back(C), "J": back(I)}
