# Threadgroup memory of which each virtual thread has its own, since all of them store their values at the same places of it; loops
# that they leave at different times.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 64), "float32"), N: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "int32"),
         D: T.Buffer((4, 8), "int32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for v in T.thread_binding(2, thread="vthread"):
            for t in T.thread_binding(16, thread="threadIdx.x"):
                S = T.alloc_buffer((16,), "float32", scope="shared")
                U = T.alloc_buffer((16,), "float32", scope="shared")
                S[t] = A[0, g * 32 + v * 16 + t]
                for k in range(2):
                    U[t] = S[15 - t] + A[k, g * 32 + v * 16 + t]
                    S[t] = U[(t + 1) % 16]
                B[g * 32 + v * 16 + t] = S[t] * U[15 - t]
                steps = T.alloc_buffer((1,), "int32", scope="local")
                steps[0] = 0
                for k in range(8):
                    if k >= N[g * 32 + v * 16 + t]:
                        break
                    if (k + v) % 3 == 1:
                        continue
                    steps[0] = steps[0] + k
                C[g * 32 + v * 16 + t] = steps[0]
    for y in T.thread_binding(2, thread="vthread.y"):
        for x in T.thread_binding(2, thread="vthread.x"):
            for t in T.thread_binding(8, thread="threadIdx.x"):
                W = T.alloc_buffer((8,), "int32", scope="shared")
                W[t] = N[y * 16 + x * 8 + t] * (x + 1)
                D[y * 2 + x, t] = W[7 - t] - W[t]


inputs = {"A": lambda rng: (rng.integers(-16, 17, (2, 64)) / 8).astype(np.float32), "N": lambda rng: rng.integers(0, 10, 64).astype(np.int32)}
outputs = {"B": ((64,), "float32"), "C": ((64,), "int32"), "D": ((4, 8), "int32")}
tolerance = 0


def reference(A, N):
    rows = A.reshape(2, 4, 16)
    s = rows[0].copy()
    for k in range(2):
        u = s[:, ::-1] + rows[k]
        s = np.roll(u, -1, axis=1)
    steps = [sum(k for k in range(min(int(n), 8)) if (k + (i // 16) % 2) % 3 != 1) for i, n in enumerate(N)]
    w = N[:32].reshape(2, 2, 8) * np.array([1, 2], np.int32)[None, :, None]
    return {"B": (s * u[:, ::-1]).reshape(64), "C": np.array(steps, np.int32), "D": (w[..., ::-1] - w).reshape(4, 8)}
