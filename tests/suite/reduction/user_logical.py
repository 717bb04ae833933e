# Reducers of bools: whether all, and whether any, of a row's elements are positive.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((9, 32), "float32"), B: T.Buffer((9, 2), "bool")):
    for i in T.thread_binding(9, thread="blockIdx.x"):
        every = T.alloc_buffer((1,), "bool", scope="local")
        some = T.alloc_buffer((1,), "bool", scope="local")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.attr(T.comm_reducer(lambda x, y: x and y, [T.bool(True)]), "reduce_scope", T.int32(0)):
                T.tvm_thread_allreduce(T.uint32(1), A[i, t] > T.float32(0), True, every[0], t, dtype="handle")
            with T.attr(T.comm_reducer(lambda x, y: x or y, [T.bool(False)]), "reduce_scope", T.int32(0)):
                T.tvm_thread_allreduce(T.uint32(1), A[i, t] > T.float32(0), True, some[0], t, dtype="handle")
            if t == 0:
                B[i, 0] = every[0]
                B[i, 1] = some[0]


def rows(rng):
    a = rng.uniform(-1, 1, (9, 32)).astype("float32")
    a[0:3] = np.abs(a[0:3]) + 0.1
    a[3:6] = -np.abs(a[3:6])
    return a


inputs = {"A": rows}


def reference(A):
    return {"B": np.stack([(A > 0).all(axis=1), (A > 0).any(axis=1)], axis=1)}
