# Several dynamic buffers of one kernel: sizes of the launch, of the build, in a mutable variable of the host and in a binding
# of the kernel; odd lengths, so that what follows must be put on a boundary of its own. Each is filled before any is read.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n",), "int8"), B: T.Buffer(("n",), "float32"), O: T.Buffer((4, "n"), "float32")):
    n = T.int32()
    m = n + 1
    for g in T.thread_binding(1, thread="blockIdx.x"):
        bytes = T.alloc_buffer((n,), "int8", scope="shared.dyn")
        grid = T.alloc_buffer((2, m), "float32", scope="shared.dyn")
        fixed = T.alloc_buffer((8,), "int64", scope="shared.dyn")
        twice: T.let = n * 2
        small = T.alloc_buffer((twice,), "bfloat16", scope="shared.dyn")
        for t in T.thread_binding(n, thread="threadIdx.x"):
            bytes[t] = A[t]
            grid[0, t] = B[t]
            grid[1, t + 1] = B[t] * T.float32(2)
            if t < 8:
                fixed[t] = T.Cast("int64", t) * T.int64(3)
            small[t] = T.Cast("bfloat16", A[t])
            small[n + t] = T.Cast("bfloat16", A[t] // T.int8(2))
            O[0, t] = T.Cast("float32", bytes[n - 1 - t])
            O[1, t] = grid[0, n - 1 - t] + grid[1, n - t]
            O[2, t] = T.Cast("float32", fixed[(t + 1) % 8])
            O[3, t] = T.Cast("float32", small[n - 1 - t] + small[2 * n - 1 - t])


def reference(A, B):
    i = np.arange(len(A))
    return {"O": np.stack([A[::-1].astype("float32"), B[::-1] + 2 * B[::-1], ((i + 1) % 8 * 3).astype("float32"),
                           (A[::-1].astype("int32") + A[::-1] // 2).astype("float32")]).astype("float32")}


tolerance = 1e-6
inputs = {"A": lambda rng: rng.integers(-60, 60, 45).astype("int8"), "B": lambda rng: rng.uniform(-1, 1, 45).astype("float32")}
outputs = {"O": ((4, 45), "float32")}
