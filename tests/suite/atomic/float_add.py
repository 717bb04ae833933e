# Sums, extremes and exchanges of floats, in both memories. Every partial sum is an integer below 2^24, so no order rounds.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((256,), "float32"), B: T.Buffer((6,), "float32"), C: T.Buffer((6,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((6,), "float32", scope="shared")
            v: T.let = A[bx * 64 + tx]
            if tx < 6:
                T.atomic_store(S[tx], T.if_then_else(bx == 3, C[tx], T.float32(0)))
            T.tvm_storage_sync("shared")
            T.atomic_add(B[0], v)
            T.atomic_sub(B[1], v)
            T.atomic_min(B[2], v)
            T.atomic_max(B[3], v)
            T.atomic_add(S[0], v)
            T.atomic_sub(S[1], v)
            T.atomic_min(S[2], v)
            T.atomic_max(S[3], v)
            if tx == 5:
                old: T.let = T.atomic_exchange(S[4], v)
                T.atomic_exchange(S[5], old)
            T.tvm_storage_sync("shared")
            if tx < 6 and bx == 3:
                C[tx] = T.atomic_load(S[tx])


def reference(A, B, C):
    B, C, last = B.copy(), C.copy(), A[192:]
    B[0], B[1], B[2], B[3] = B[0] + A.sum(), B[1] - A.sum(), min(B[2], A.min()), max(B[3], A.max())
    C[0], C[1], C[2], C[3] = C[0] + last.sum(), C[1] - last.sum(), min(C[2], last.min()), max(C[3], last.max())
    C[4], C[5] = A[197], C[4]
    return {"B": B, "C": C}


tolerance = 0
inputs = {"A": lambda rng: rng.integers(-1000, 1000, 256).astype("float32"),
          "B": lambda rng: np.array([7, -3, 10, 20, 30, 40], "float32"),
          "C": lambda rng: np.array([1, 2, 3, 4, 5, 6], "float32")}
