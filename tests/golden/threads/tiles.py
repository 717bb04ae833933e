# A matrix tile is stored and loaded by all of a simdgroup: its whole footprint counts. The second load overlaps the
# rows that the store wrote; the first two tiles of the second program do not meet.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def overlapping(A: T.Buffer((64,), "float16"), B: T.Buffer((256,), "float16")):
        for ty in T.thread_binding(2, thread="threadIdx.y"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                S = T.alloc_buffer((256,), "float16", scope="shared")
                M = T.alloc_buffer((64,), "float16", scope="metal.simdgroup")
                T.metal.simdgroup_load(M.data, 0, A.access_ptr("r"), 8, 8, 8, T.bool(False))
                T.metal.simdgroup_store(M.data, 0, T.address_of(S[ty * 128]), 16, 8, 8, T.bool(False))
                T.metal.simdgroup_load(M.data, 0, T.address_of(S[64 + ty * 8]), 16, 8, 8, T.bool(False))
                T.metal.simdgroup_store(M.data, 0, T.address_of(B[ty * 128]), 16, 8, 8, T.bool(False))

    @T.prim_func
    def apart(A: T.Buffer((64,), "float16"), B: T.Buffer((256,), "float16")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            S = T.alloc_buffer((256,), "float16", scope="shared")
            M = T.alloc_buffer((64,), "float16", scope="metal.simdgroup")
            T.metal.simdgroup_load(M.data, 0, A.access_ptr("r"), 8, 8, 8, T.bool(False))
            T.metal.simdgroup_store(M.data, 0, T.address_of(S[0]), 8, 8, 8, T.bool(False))
            T.metal.simdgroup_store(M.data, 0, T.address_of(S[128]), 8, 8, 8, T.bool(False))
            T.tvm_storage_sync("shared")
            T.metal.simdgroup_load(M.data, 0, T.address_of(S[128]), 8, 8, 8, T.bool(False))
            T.metal.simdgroup_store(M.data, 0, T.address_of(B[0]), 8, 8, 8, T.bool(False))
