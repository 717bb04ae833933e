# The same memory under other shapes and element types, on the host's side of a parameter and in a kernel's own memory.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 6, 8), "float32"), W: T.Buffer((16,), "uint32"), B: T.Buffer((192,), "float32"), C: T.Buffer((64,), "uint8")):
    flat = A.view(192)
    rows = B.view(-1, 12)
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        S = T.alloc_buffer((48,), "float32", scope="shared")
        tile = S.view(4, 12)
        for tx in T.thread_binding(48, thread="threadIdx.x"):
            S[tx] = flat[bx * 48 + tx]
            rows[bx * 4 + tx // 12, tx % 12] = tile[3 - tx // 12, tx % 12]
    words = W.view("uint8")
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        C[tx] = words[63 - tx]


inputs = {"W": lambda rng: rng.integers(0, 2**32, 16, dtype="uint32")}
outputs = {"B": ((192,), "float32"), "C": ((64,), "uint8")}
tolerance = 0


def reference(A, W):
    return {"B": A.reshape(4, 4, 12)[:, ::-1].reshape(192), "C": W.view("uint8")[::-1]}
