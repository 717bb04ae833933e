# A reducer of the program's own: exclusive or of all the words of a row, over 48 threads.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((7, 48), "uint32"), B: T.Buffer((7, 48), "uint32")):
    for i in T.thread_binding(7, thread="blockIdx.x"):
        r = T.alloc_buffer((1,), "uint32", scope="local")
        for t in T.thread_binding(48, thread="threadIdx.x"):
            with T.attr(T.comm_reducer(lambda x, y: x ^ y, [T.uint32(0)]), "reduce_scope", T.int32(0)):
                T.tvm_thread_allreduce(T.uint32(1), A[i, t], True, r[0], t, dtype="handle")
            B[i, t] = r[0] + T.Cast("uint32", t)


inputs = {"A": lambda rng: rng.integers(0, 2**32, (7, 48)).astype("uint32")}


def reference(A):
    x = np.bitwise_xor.reduce(A, axis=1)
    return {"B": x[:, None] + np.arange(48, dtype="uint32")}
