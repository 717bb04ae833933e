# A simdgroup matrix that is not 8 by 8.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "float16"), B: T.Buffer((128,), "float16")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        a = T.alloc_buffer((128,), "float16", scope="metal.simdgroup")
        T.metal.simdgroup_load(a.data, 0, T.address_of(A[0]), 8, 16, 8)
        T.metal.simdgroup_store(a.data, 0, T.address_of(B[0]), 8, 16, 8)
