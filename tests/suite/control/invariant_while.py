# A loop of unknown length that all threads of a group leave together, which only the program knows: its condition is from
# device memory. Barriers in it are allowed by T.tvm_thread_invariant.
from tvm.script import tirx as T


@T.prim_func
def main(N: T.Buffer((4,), "int32"), A: T.Buffer((4, 64), "int32"), B: T.Buffer((4, 64), "int32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "int32", scope="shared")
            left = T.alloc_buffer((1,), "int32", scope="local")
            left[0] = N[bx]
            S[tx] = A[bx, tx]
            while T.tvm_thread_invariant(left[0] > 0):
                value: T.let = S[(tx + 1) % 64] - S[tx]
                T.tvm_storage_sync("shared")
                S[tx] = value
                left[0] = left[0] - 1
            B[bx, tx] = S[tx]


inputs = {"N": lambda rng: np.array([0, 1, 3, 5], "int32"), "A": lambda rng: rng.integers(-9, 9, (4, 64)).astype("int32")}
outputs = {"B": ((4, 64), "int32")}


def reference(N, A):
    rows = A.copy()
    for row, n in zip(rows, N):
        for _ in range(n):
            row[:] = np.roll(row, -1) - row
    return {"B": rows}
