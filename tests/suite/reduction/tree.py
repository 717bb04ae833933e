# A tree over 256 threads in threadgroup memory, barriers written out.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4096,), "float32"), B: T.Buffer((16,), "float32")):
        for bx in T.thread_binding(16, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                with T.sblock("tree"):
                    T.reads(A[bx * 256 + tx])
                    T.writes(B[bx])
                    S = T.sblock_alloc_buffer((256,), "float32", scope="shared")
                    S[tx] = A[bx * 256 + tx]
                    T.tvm_storage_sync("shared")
                    for step in range(8):
                        if tx < T.shift_right(128, step):
                            S[tx] = S[tx] + S[tx + T.shift_right(128, step)]
                        T.tvm_storage_sync("shared")
                    if tx == 0:
                        B[bx] = S[0]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 4096).astype("float32")}


def reference(A):
    return {"B": A.astype(np.float64).reshape(16, 256).sum(axis=1)}
