# Threadgroup arrays that only atomic operations touch, beside others that live before, during and after them.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        first = T.alloc_buffer((32,), "int32", scope="shared")
        counts = T.alloc_buffer((32,), "int32", scope="shared")
        last = T.alloc_buffer((32,), "int32", scope="shared")
        first[t] = A[t]
        T.atomic_store(counts[t], 0)
        T.tvm_storage_sync("shared")
        x: T.let = first[31 - t]
        T.atomic_add(counts[A[t] % 32], 1)
        last[t] = x * 3
        T.tvm_storage_sync("shared")
        B[t] = T.atomic_load(counts[t]) * 1000 + last[(t + 1) % 32]


def reference(A, B):
    return {"B": np.bincount(A % 32, minlength=32) * 1000 + np.roll(A[::-1] * 3, -1)}
