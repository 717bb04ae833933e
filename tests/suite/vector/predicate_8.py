# Accesses of some of 8 lanes: by a mask that depends on the thread, by one in memory, by a scalar; what lies beyond an end is not
# touched, and a lane that is not loaded is 0.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((61,), "float32"), M: T.Buffer((8,), "bool"), B: T.Buffer((61,), "float32"), C: T.Buffer((64,), "float32"), D: T.Buffer((64,), "int32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        tail: T.let = T.get_active_lane_mask("boolx8", t * 8, 61)
        B.vstore([t * 8], A.vload([t * 8], "float32x8", predicate=tail) * T.Broadcast(T.float32(2), 8), predicate=tail)
        C.vstore([t * 8], A.vload([t * 8], "float32x8", predicate=T.Ramp(t * 8, 1, 8) < T.Broadcast(61, 8)))
        # In reverse, over what it reads itself.
        D.vstore([T.ramp(t * 8, 1, 8)], D[T.ramp(t * 8 + 7, -1, 8)] + T.Broadcast(1, 8), predicate=M[0:8])
        D.vstore([T.ramp(t * 8, 1, 8)], T.Broadcast(-7, 8), predicate=t == 3)


def reference(A, M, B, C, D):
    pad = np.concatenate([A, np.zeros(3, "float32")])
    d = D.reshape(8, 8)
    d = np.where(M, d[:, ::-1] + 1, d)
    d[3] = -7
    return {"B": A * 2, "C": pad, "D": d.reshape(-1)}


tolerance = 0
