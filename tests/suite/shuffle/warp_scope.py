# A buffer of scope "warp": each lane writes its element and reads another's.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((2, 32), "float32"), B: T.Buffer((2, 32), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        W = T.alloc_buffer((32,), "float32", scope="warp")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            W[t] = A[g, t] * T.float32(2)
            T.tvm_storage_sync("warp")
            B[g, t] = W[(t * 5 + 3) % 32]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (2, 32)).astype("float32")}
tolerance = 0


def reference(A):
    return {"B": 2 * A[:, (np.arange(32) * 5 + 3) % 32]}
