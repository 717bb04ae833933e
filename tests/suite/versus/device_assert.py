# Assertions of kernels that hold: before and between barriers, in loops, guarding a read that must not happen without them.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), I: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            S = T.alloc_buffer((32,), "int32", scope="shared")
            at: T.let = b * 32 + t
            assert I[at] >= 0 and I[at] < 64, "an index out of range"
            S[t] = A[I[at]]
            for k in range(4):
                assert S[(t + k) % 32] != 99, "ninety-nine"
                B[at] = B[at] + S[(t + k) % 32]
    for t in T.thread_binding(64, thread="threadIdx.x"):
        assert t < 64, ("ValueError", ["too", " many"])
        B[t] = B[t] * 2


def reference(A, I, B):
    s = A[I].reshape(2, 32)
    return {"B": 2 * (B + sum(np.roll(s, -k, axis=1) for k in range(4)).reshape(64))}


inputs = {"I": lambda rng: rng.integers(0, 64, 64).astype("int32")}
