# Pairs of halves that begin at any element, told by a scalar: no access may need a pair's alignment.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((80,), "float16"), B: T.Buffer((4, 64), "float16"), n: T.int32):
    for g in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(16, thread="threadIdx.x"):
            for l in T.vectorized(4):
                B[g, t * 4 + l] = A[n + g + t * 4 + l]


args = {"n": 3}
tolerance = 0


def reference(A, n):
    return {"B": np.array([A[n + g:n + g + 64] for g in range(4)])}
