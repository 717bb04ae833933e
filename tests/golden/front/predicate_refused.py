# Predicates that do not fit their access.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), V: T.Buffer((8,), "float32x4")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        A.vstore([t * 4], T.Broadcast(T.float32(0), 4), predicate=T.Broadcast(t < 3, 2))
        A.vstore([t], T.float32(0), predicate=A[t])
        V.vstore([t], T.Broadcast(T.float32(0), 4), predicate=t < 3)
        A[t] = A.vload([t], "float32", predicate=T.get_active_lane_mask("int32x4", t, 8))
