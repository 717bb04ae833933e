# One virtual thread cannot return by itself: its thread plays the others too.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        for v in T.thread_binding(2, thread="vthread"):
            if v == 0:
                T.thread_return()
            A[t * 2 + v] = 0
