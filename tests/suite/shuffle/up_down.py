# Values of the threads three below and five above; beyond the ends of 32 threads, the thread's own counts.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 32), "float32"), U: T.Buffer((2, 32), "float32"), D: T.Buffer((2, 32), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            u: T.let = T.tvm_warp_shuffle_up(T.uint32(0xFFFFFFFF), A[g, t], 3, 32, 32)
            d: T.let = T.tvm_warp_shuffle_down(T.uint32(0xFFFFFFFF), A[g, t], 5, 32, 32)
            U[g, t] = T.if_then_else(t >= 3, u, T.float32(-7))
            D[g, t] = T.if_then_else(t < 27, d, T.float32(-9))


inputs = {"A": lambda rng: rng.uniform(-1, 1, (2, 32)).astype("float32")}
tolerance = 0


def reference(A):
    U, D = np.full_like(A, -7), np.full_like(A, -9)
    U[:, 3:] = A[:, :-3]
    D[:, :-5] = A[:, 5:]
    return {"U": U, "D": D}
