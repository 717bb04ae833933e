# A bitonic sorting network in threadgroup memory.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 64), "int32"), B: T.Buffer((4, 64), "int32")):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("sort"):
                    T.reads(A[bx, tx])
                    T.writes(B[bx, tx])
                    S = T.sblock_alloc_buffer((64,), "int32", scope="shared")
                    t = T.sblock_alloc_buffer((1,), "int32", scope="local")
                    S[tx] = A[bx, tx]
                    T.tvm_storage_sync("shared")
                    for k in range(6):
                        for j in range(k + 1):
                            if T.bitwise_xor(tx, T.shift_left(1, k - j)) > tx:
                                if (S[tx] > S[T.bitwise_xor(tx, T.shift_left(1, k - j))]) == (
                                    T.bitwise_and(tx, T.shift_left(2, k)) == 0
                                ):
                                    t[0] = S[tx]
                                    S[tx] = S[T.bitwise_xor(tx, T.shift_left(1, k - j))]
                                    S[T.bitwise_xor(tx, T.shift_left(1, k - j))] = t[0]
                            T.tvm_storage_sync("shared")
                    B[bx, tx] = S[tx]


inputs = {"A": lambda rng: rng.integers(-500, 500, (4, 64)).astype("int32")}


def reference(A):
    return {"B": np.sort(A, axis=1)}
