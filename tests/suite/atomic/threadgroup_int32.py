# Every atomic operation of int32 in threadgroup memory, by all threads on a few elements.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((96,), "int32"), B: T.Buffer((9,), "int32"), O: T.Buffer((96,), "int32")):
    for tx in T.thread_binding(96, thread="threadIdx.x"):
        S = T.alloc_buffer((9,), "int32", scope="shared")
        if tx < 9:
            S[tx] = B[tx]
        T.atomic_add(S[0], A[tx])
        T.atomic_sub(S[1], A[tx])
        T.atomic_min(S[2], A[tx])
        T.atomic_max(S[3], A[tx])
        T.atomic_and(S[4], A[tx])
        T.atomic_or(S[5], A[tx])
        T.atomic_xor(S[6], A[tx])
        # Each element is found in the last place exactly once, or is left there.
        O[tx] = T.atomic_exchange(S[7], A[tx])
        # Only the one that finds the expected value replaces it.
        if T.atomic_cas(S[8], 7, A[tx] | 1) == 7:
            O[tx] = O[tx] ^ 64
        if tx < 9:
            B[tx] = S[tx]


def reference(A, B, O):
    B = B.copy()
    with np.errstate(over="ignore"):
        B[0] += A.sum(dtype=A.dtype)
        B[1] -= A.sum(dtype=A.dtype)
    B[2], B[3] = min(B[2], A.min()), max(B[3], A.max())
    B[4] &= np.bitwise_and.reduce(A)
    B[5] |= np.bitwise_or.reduce(A)
    B[6] ^= np.bitwise_xor.reduce(A)
    # Threads come in order on the software device.
    out = np.concatenate([B[7:8], A[:-1]])
    B[7] = A[-1]
    out[0] ^= np.int32(64)
    B[8] = A[0] | 1
    return {"B": B, "O": out}


inputs = {"A": lambda rng: rng.integers(-2**31, 2**31, 96).astype("int32"),
          "B": lambda rng: np.array([5, 6, 1000, 3, -1 & 0x7fffffff, 16, 77, 4, 7]).astype("int32")}
