# Virtual threads and memory that is common to them: rows of their own, a halo that two of them fetch alike, one of them
# alone, sums over them, and atomic additions by all.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "float32"), N: T.Buffer((64,), "int32"), Rows: T.Buffer((2, 64), "float32"),
         Halo: T.Buffer((64,), "float32"), One: T.Buffer((32,), "float32"), Sum: T.Buffer((32,), "float32"),
         Count: T.Buffer((4,), "int32")):
    for v in T.thread_binding(2, thread="vthread.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            own = T.alloc_buffer((2, 64), "float32", scope="shared")
            shared = T.alloc_buffer((66,), "float32", scope="shared")
            stage = T.alloc_buffer((32,), "float32", scope="shared")
            bins = T.alloc_buffer((4,), "int32", scope="shared")
            for k in range(2):
                own[v, k * 32 + t] = A[v * 64 + k * 32 + t] * T.float32(2)
            for k in range(2):
                Rows[v, k * 32 + t] = own[1 - v, 63 - k * 32 - t]
            if t < 32 + 2 * v:
                shared[v * 32 + t] = A[v * 32 + t + 1] - T.float32(1)
            if v == 1 and t < 2:
                shared[64 + t] = A[65 + t]
            Halo[v * 32 + t] = shared[v * 32 + t] + shared[v * 32 + t + 2]
            if v == 1:
                stage[t] = A[v * 32 + 31 - t]
            if v == 0:
                One[t] = stage[t]
            Sum[t] = Sum[t] + A[v * 32 + t]
            if t < 4:
                bins[t] = 0
            T.evaluate(T.atomic_add(T.address_of(bins[N[v * 32 + t]]), 1, dtype="int32"))
            if v == 0 and t < 4:
                Count[t] = bins[t]


inputs = {"A": lambda rng: (rng.integers(-16, 17, 128) / 8).astype(np.float32), "N": lambda rng: rng.integers(0, 4, 64).astype(np.int32),
          "Sum": lambda rng: (rng.integers(-16, 17, 32) / 8).astype(np.float32)}
outputs = {"Rows": ((2, 64), "float32"), "Halo": ((64,), "float32"), "One": ((32,), "float32"), "Sum": ((32,), "float32"),
           "Count": ((4,), "int32")}
tolerance = 0


def reference(A, N, Sum):
    rows = (A.reshape(2, 64) * 2)[::-1, ::-1]
    fetched = np.concatenate([A[1:65] - 1, A[65:67]])
    pairs = A[:64].reshape(2, 32)
    return {"Rows": rows, "Halo": fetched[:64] + fetched[2:], "One": A[32:64][::-1], "Sum": Sum + pairs[0] + pairs[1],
            "Count": np.bincount(N, minlength=4).astype(np.int32)}
