# A spin lock's step, counts in threadgroup memory without barriers between them, and the older spelling of an intrinsic.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "uint32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        counts = T.alloc_buffer((8,), "int32", scope="shared")
        if tx < 8:
            counts[tx] = 0
        for i in range(4):
            T.atomic_add(counts[(tx + i) % 8], 1, memory_order="relaxed")
        seen: T.let = T.atomic_cas(A[0], -1, tx)
        B[T.atomic_or(A[1], 1 << tx % 32)] = T.call_intrin("uint32", "tir.atomic_add", T.address_of(B[tx]), T.uint32(1))
        A[tx] = counts[tx % 8] + seen
