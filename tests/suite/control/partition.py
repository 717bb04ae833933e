# Loops with tails: a symbolic number of columns, a padded window, a vector loop, a guard from below, steps downwards.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n", "m"), "float32"), B: T.Buffer(("n", "m"), "float32"), C: T.Buffer(("n", "m"), "float32"), D: T.Buffer(("n", "m"), "float32"), E: T.Buffer(("n", 40), "int32")):
    n = T.int32()
    m = T.int32()
    for bx in T.thread_binding(n, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for k in range((m + 31) // 32):
                if k * 32 + tx < m:
                    B[bx, k * 32 + tx] = A[bx, k * 32 + tx] * 2.0
            for k in range(m):
                if tx == 0:
                    C[bx, k] = T.if_then_else(k >= 2 and k < m - 3, A[bx, k - 2] + A[bx, k + 3], T.float32(7))
            for k in range((m + 127) // 128):
                for v in T.vectorized(4):
                    if k * 128 + tx * 4 + v < m:
                        D[bx, k * 128 + tx * 4 + v] = A[bx, k * 128 + tx * 4 + v] - 1.0
            if tx == 0:
                for k in range(40):
                    E[bx, k] = 0
                    if 37 - k > bx:
                        E[bx, k] += 1
                    if k * 3 - 20 >= bx:
                        E[bx, k] += 10
                    if k + 5 <= m - k:
                        E[bx, k] += 100


def reference(A):
    n, m = A.shape
    k, row = np.arange(m), np.arange(n)[:, None]
    wide = np.pad(A.astype(np.float64), ((0, 0), (2, 3)))
    C = np.where((k >= 2) & (k < m - 3), wide[:, :m] + wide[:, 5:5 + m], 7.0)
    k40 = np.arange(40)
    E = (37 - k40 > row) * 1 + (k40 * 3 - 20 >= row) * 10 + (k40 + 5 <= m - k40) * 100
    return {"B": A * 2.0, "C": C, "D": A - 1.0, "E": E.astype("int32")}


inputs = {"A": lambda rng: rng.uniform(-1, 1, (3, 173)).astype("float32")}
