# Lanes of vectors that threadgroup memory holds: picked by number, and as conditions of other accesses.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((4, 16), "float32"), C: T.Buffer((64,), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        S = T.alloc_buffer((64,), "float32", scope="shared")
        S[t * 4:t * 4 + 4] = A[t * 4:t * 4 + 4]
        T.tvm_storage_sync("shared")
        B[0, t] = T.Shuffle([S[(15 - t) * 4:(15 - t) * 4 + 4]], [3])
        B[1, t] = T.Shuffle([S[t * 4:t * 4 + 4]], [1]) * T.Shuffle([S[t * 4:t * 4 + 4]], [2])
        B[2, t] = T.Shuffle([S[t * 4:t * 4 + 4] + S[0:4]], [0])
        B[3, t] = S[t * 4]
        C.vstore([t * 4], S.vload([t * 4], "float32x4", predicate=S[0:4] > T.Broadcast(T.float32(0), 4)), predicate=S[4:8] > T.Broadcast(T.float32(0), 4))


def reference(A, B, C):
    a = A.reshape(16, 4)
    taken = np.where(a[0] > 0, a, 0)
    return {"B": np.stack([a[::-1, 3], a[:, 1] * a[:, 2], a[:, 0] + a[0, 0], a[:, 0]]),
            "C": np.where(a[1] > 0, taken, C.reshape(16, 4)).reshape(-1)}


tolerance = 0
