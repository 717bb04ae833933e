# Threads that are not launched for a phase cannot meet at its barrier.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 16), "float32"), B: T.Buffer((2, 16), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for i in T.thread_binding(16, thread="threadIdx.x"):
            B[g, i] = A[g, i]
        for j in T.thread_binding(8, thread="threadIdx.x"):
            T.tvm_storage_sync("shared")
            B[g, j] = A[g, j + 8]
