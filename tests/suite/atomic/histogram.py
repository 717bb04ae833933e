# Counts of byte values: each group counts in threadgroup memory, then adds its counts to the device's.
from tvm.script import tirx as T

n = 4096


@T.prim_func
def main(A: T.Buffer((n,), "uint8"), H: T.Buffer((256,), "int32")):
    for bx in T.thread_binding(n // 512, thread="blockIdx.x"):
        for tx in T.thread_binding(128, thread="threadIdx.x"):
            counts = T.alloc_buffer((256,), "int32", scope="shared")
            for i in range(2):
                counts[i * 128 + tx] = 0
            for i in range(4):
                T.atomic_add(counts[T.Cast("int32", A[bx * 512 + i * 128 + tx])], 1)
            for i in range(2):
                if counts[i * 128 + tx] > 0:
                    T.atomic_add(H[i * 128 + tx], counts[i * 128 + tx])


def reference(A, H):
    return {"H": H + np.bincount(A, minlength=256)}


inputs = {"A": lambda rng: rng.integers(0, 256, 4096).astype("uint8"),
          "H": lambda rng: rng.integers(0, 9, 256).astype("int32")}
