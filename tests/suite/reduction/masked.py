# A reduction in which only the threads that a condition names take part.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((6, 32), "float32"), B: T.Buffer((6,), "float32")):
    for i in T.thread_binding(6, thread="blockIdx.x"):
        r = T.alloc_buffer((1,), "float32", scope="local")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.attr(T.comm_reducer(lambda x, y: T.min(x, y), [T.max_value("float32")]), "reduce_scope", T.int32(0)):
                T.tvm_thread_allreduce(T.uint32(1), A[i, t], t % 3 == 1, r[0], t, dtype="handle")
            if t == 0:
                B[i] = r[0]


tolerance = 0


inputs = {"A": lambda rng: rng.uniform(-1, 1, (6, 32)).astype("float32")}


def reference(A):
    return {"B": A[:, 1::3].min(axis=1)}
