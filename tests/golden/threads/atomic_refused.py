# Atomic operations where they cannot be: each with its own message.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), L: T.Buffer((32,), "int64"), F: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        mine = T.alloc_buffer((4,), "int32", scope="local")
        T.atomic_add(mine[0], 1)
        T.atomic_add(L[0], T.int64(1))
        T.atomic_xor(F[0], T.float32(1))
        T.atomic_cas(F[0], T.float32(1), T.float32(2))
        T.atomic_add(A, 1)
        T.atomic_add(A[0], 1, memory_order="acquire")
        A[tx] = T.if_then_else(tx < 4, T.atomic_add(A[0], 1), 0)
        while T.atomic_add(A[0], 1) < 4:
            A[tx] = 0
        if tx < 4 and T.atomic_add(A[0], 1) < 4:
            A[tx] = 0
        T.atomic_add(A[0], 1, dtype="int64")
        T.call_intrin("int32", "tir.atomic_add", A[0])
        A[tx] = T.Cast("int32", T.any_sync(T.uint32(3), A[tx] > 0))
