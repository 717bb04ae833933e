# Arrays of threadgroup and of own memory one after another, in loops and beside each other: those that may share do.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((3, 64), "float32"), C: T.Buffer((3, 64), "int32"), B: T.Buffer((3, 64), "float32"), D: T.Buffer((3, 64), "int32")):
    for bx in T.thread_binding(3, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            U = T.alloc_buffer((128,), "float32", scope="shared")
            V = T.alloc_buffer((64,), "int32", scope="shared")
            W = T.alloc_buffer((64,), "int32", scope="shared")
            X = T.alloc_buffer((32,), "float32", scope="shared")
            L = T.alloc_buffer((4,), "float32", scope="local")
            M = T.alloc_buffer((3,), "float32", scope="local")
            S[tx] = A[bx, tx]
            for i in range(4):
                L[i] = S[(tx + i) % 64]
            U[tx * 2] = L[0] + L[1]
            U[tx * 2 + 1] = L[2] - L[3]
            for i in range(3):
                M[i] = U[(tx * 3 + i * 7) % 128]
            V[tx] = C[bx, tx]
            for k in range(3):
                W[tx] = V[(tx + 1) % 64] + k
                V[tx] = W[(tx + 2) % 64]
            D[bx, tx] = V[63 - tx]
            if tx < 32:
                X[tx] = M[0] * M[1]
            B[bx, tx] = X[31 - tx % 32] + M[2]


def reference(A, C):
    t = np.arange(64)
    B, D = np.zeros((3, 64)), np.zeros((3, 64), "int32")
    for g in range(3):
        L = [A[g].astype(np.float64)[(t + i) % 64] for i in range(4)]
        U = np.zeros(128)
        U[0::2], U[1::2] = L[0] + L[1], L[2] - L[3]
        M = [U[(t * 3 + i * 7) % 128] for i in range(3)]
        V = C[g]
        for k in range(3):
            W = V[(t + 1) % 64] + k
            V = W[(t + 2) % 64]
        D[g] = V[63 - t]
        B[g] = (M[0] * M[1])[31 - t % 32] + M[2]
    return {"B": B, "D": D}
