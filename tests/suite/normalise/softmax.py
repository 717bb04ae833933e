# Softmax over rows: two reductions in threadgroup memory.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 256), "float32"), B: T.Buffer((8, 256), "float32")):
        for bx in T.thread_binding(8, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                with T.sblock("row"):
                    T.reads(A[bx, tx])
                    T.writes(B[bx, tx])
                    M = T.sblock_alloc_buffer((256,), "float32", scope="shared")
                    S = T.sblock_alloc_buffer((256,), "float32", scope="shared")
                    M[tx] = A[bx, tx]
                    T.tvm_storage_sync("shared")
                    for step in range(8):
                        if tx < T.shift_right(128, step):
                            M[tx] = T.max(M[tx], M[tx + T.shift_right(128, step)])
                        T.tvm_storage_sync("shared")
                    S[tx] = T.exp(A[bx, tx] - M[0])
                    T.tvm_storage_sync("shared")
                    for step in range(8):
                        if tx < T.shift_right(128, step):
                            S[tx] = S[tx] + S[tx + T.shift_right(128, step)]
                        T.tvm_storage_sync("shared")
                    B[bx, tx] = T.exp(A[bx, tx] - M[0]) / S[0]


inputs = {"A": lambda rng: rng.uniform(-8, 8, (8, 256)).astype("float32")}


def reference(A):
    e = np.exp(A.astype(np.float64) - A.max(axis=1, keepdims=True))
    return {"B": e / e.sum(axis=1, keepdims=True)}
