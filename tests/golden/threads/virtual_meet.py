# Virtual threads whose last one's value would be all that is left in memory that is common to them.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "float32"), N: T.Buffer((32,), "int32"), B: T.Buffer((256,), "float32")):
    for vx in T.thread_binding(4, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            R = T.alloc_buffer((64,), "float32", scope="shared")
            R[vx + tx] = A[vx * 32 + tx]
            R[vx * 8 + tx] = A[vx * 16 + tx]
            R[(vx * 8 + tx * 3) // 2 % 64] = T.Cast("float32", vx)
            R[N[tx]] = T.Cast("float32", vx)
            R[N[tx]] = T.float32(1)
            R[vx * 8 + tx] = T.float32(1)
            R[vx * 8 + tx] = A[vx * 8 + tx + 1] * A[3]
            B[tx] = A[vx * 32 + tx]
            B[vx * 16 + tx] = A[vx * 32 + tx]
            B[vx * 32 + tx] = R[tx]


@T.prim_func
def tiles(A: T.Buffer((64,), "float32"), B: T.Buffer((256,), "float32")):
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            M = T.alloc_buffer((64,), "float32", scope="metal.simdgroup")
            S = T.alloc_buffer((128,), "float32", scope="shared")
            T.metal.simdgroup_load(M.data, 0, T.address_of(A[0]), 8)
            T.metal.simdgroup_store(M.data, 0, T.address_of(S[0]), 8)
            T.metal.simdgroup_store(M.data, 0, T.address_of(S[vx * 4]), 16)
            T.metal.simdgroup_store(M.data, 0, T.address_of(S[vx * 8]), 16)
            B[vx * 32 + tx] = S[vx * 8 + tx]


@T.prim_func
def alike(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            B[tx] = A[tx] + T.float32(1)
            B[tx] = B[tx] * T.float32(2)
