# Threadgroup memory at indices that go by names of each thread: it is as large as what all threads touch of it, and a name of a
# threadgroup's own still cuts it.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 34), "float32"), N: T.Buffer((32,), "int32"), B: T.Buffer((2, 32), "float32"), C: T.Buffer((2, 32), "float32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            lane: T.let = t * 1
            other: T.let = lane + b * 64
            read: T.let = N[t]
            V = T.alloc_buffer((34,), "float32", scope="shared")
            W = T.alloc_buffer((160,), "float32", scope="shared")
            U = T.alloc_buffer((34,), "float32", scope="shared")
            V[lane] = A[b, t]
            if t < 2:
                V[lane + 32] = A[b, t + 32]
            W[other + 1] = A[b, t] * T.float32(2)
            U[read] = A[b, t] + T.float32(1)
            B[b, t] = V[lane + 2] - V[lane]
            C[b, t] = W[b * 64 + 32 - t] + U[read]


inputs = {"N": np.random.default_rng(1).permutation(34)[:32].astype(np.int32)}
outputs = {"B": ((2, 32), "float32"), "C": ((2, 32), "float32")}
tolerance = 0


def reference(A, N):
    return {"B": A[:, 2:] - A[:, :32], "C": A[:, 31::-1] * np.float32(2) + (A[:, :32] + np.float32(1))}
