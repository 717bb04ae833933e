# Memory without a scope in a kernel is each thread's own.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        mine = T.alloc_buffer((4,), "int32")
        mine[0] = 0
        T.atomic_add(mine[0], 1)
        A[tx] = mine[0]
