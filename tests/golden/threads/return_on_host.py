# What ends a thread, where there is none.
from tvm.script import tirx as T


@T.prim_func
def main(n: T.int32, A: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        if t >= n:
            T.thread_return()
        A[t] = T.float32(1)
    if n > 3:
        T.thread_return()
    for t in T.thread_binding(32, thread="threadIdx.x"):
        A[t] = A[t] + T.float32(1)
