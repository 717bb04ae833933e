# Memory of scope "warp" in groups of 64 threads: each simdgroup has its own.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((3, 64), "float32"), B: T.Buffer((3, 64), "float32")):
    for g in T.thread_binding(3, thread="blockIdx.x"):
        W = T.alloc_buffer((32,), "float32", scope="warp")
        for y in T.thread_binding(8, thread="threadIdx.y"):
            for x in T.thread_binding(8, thread="threadIdx.x"):
                W[(y * 8 + x) % 32] = A[g, y * 8 + x]
                B[g, y * 8 + x] = W[31 - (y * 8 + x) % 32]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (3, 64)).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": A.reshape(3, 2, 32)[:, :, ::-1].reshape(3, 64)}
