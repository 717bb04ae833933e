# The exchanges by Metal's own names, of halves and of whole numbers.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float16"), N: T.Buffer((32,), "uint32"), B: T.Buffer((32,), "float16"),
         M: T.Buffer((32,), "uint32"), R: T.Buffer((32,), "uint32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = T.metal.simd_shuffle(A[t], 31 - t)
        down: T.let = T.metal.simd_shuffle_down(N[t], 1)
        M[t] = T.Select(t < 31, down, T.uint32(0))
        up: T.let = T.metal.simd_shuffle_up(N[t], 1)
        R[t] = T.Select(t > 0, up, T.uint32(0))


inputs = {"A": lambda rng: rng.uniform(-1, 1, 32).astype("float16"),
          "N": lambda rng: rng.integers(0, 2**32, 32).astype("uint32")}
tolerance = 0


def reference(A, N):
    return {"B": A[::-1], "M": np.append(N[1:], 0).astype("uint32"), "R": np.append(0, N[:-1]).astype("uint32")}
