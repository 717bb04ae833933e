# Accesses of some of 4 lanes: by a mask that depends on the thread, by one in memory, by a scalar; what lies beyond an end is not
# touched, and a lane that is not loaded is 0.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((29,), "float32"), M: T.Buffer((4,), "bool"), B: T.Buffer((29,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((32,), "int32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        tail: T.let = T.get_active_lane_mask("boolx4", t * 4, 29)
        B.vstore([t * 4], A.vload([t * 4], "float32x4", predicate=tail) * T.Broadcast(T.float32(2), 4), predicate=tail)
        C.vstore([t * 4], A.vload([t * 4], "float32x4", predicate=T.Ramp(t * 4, 1, 4) < T.Broadcast(29, 4)))
        # In reverse, over what it reads itself.
        D.vstore([T.ramp(t * 4, 1, 4)], D[T.ramp(t * 4 + 3, -1, 4)] + T.Broadcast(1, 4), predicate=M[0:4])
        D.vstore([T.ramp(t * 4, 1, 4)], T.Broadcast(-7, 4), predicate=t == 3)


def reference(A, M, B, C, D):
    pad = np.concatenate([A, np.zeros(3, "float32")])
    d = D.reshape(8, 4)
    d = np.where(M, d[:, ::-1] + 1, d)
    d[3] = -7
    return {"B": A * 2, "C": pad, "D": d.reshape(-1)}


tolerance = 0
