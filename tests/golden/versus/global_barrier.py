# A barrier of all threads of the grid.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            B[g * 32 + t] = A[g * 32 + t]
            T.tvm_storage_sync("global")
