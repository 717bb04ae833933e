# An inclusive prefix sum in threadgroup memory, doubling the distance.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 128), "int32"), B: T.Buffer((8, 128), "int32")):
        for bx in T.thread_binding(8, thread="blockIdx.x"):
            for tx in T.thread_binding(128, thread="threadIdx.x"):
                with T.sblock("scan"):
                    T.reads(A[bx, tx])
                    T.writes(B[bx, tx])
                    S = T.sblock_alloc_buffer((2, 128), "int32", scope="shared")
                    S[0, tx] = A[bx, tx]
                    T.tvm_storage_sync("shared")
                    for step in range(7):
                        if tx >= T.shift_left(1, step):
                            S[(step + 1) % 2, tx] = S[step % 2, tx] + S[step % 2, tx - T.shift_left(1, step)]
                        else:
                            S[(step + 1) % 2, tx] = S[step % 2, tx]
                        T.tvm_storage_sync("shared")
                    B[bx, tx] = S[1, tx]


inputs = {"A": lambda rng: rng.integers(-9, 9, (8, 128)).astype("int32")}


def reference(A):
    return {"B": np.cumsum(A, axis=1)}
