# A store of some lanes only.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        B.vstore([T.ramp(t * 4, 1, 4)], A[t * 4:t * 4 + 4], predicate=T.Broadcast(T.bool(True), 4))
