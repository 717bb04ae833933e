# Reductions over threads written out, their results given as pointers; what the program assumes, and values that do not matter.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 128), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "int32"), D: T.Buffer((4,), "float32")):
    tx = T.env_thread("threadIdx.x")
    bx = T.env_thread("blockIdx.x")
    T.launch_thread(bx, 4)
    T.launch_thread(tx, 128)
    total = T.alloc_buffer((1,), scope="local")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.int32(0)):
        T.evaluate(T.tvm_thread_allreduce(T.uint32(1), A[bx, tx], True, total.data, tx, dtype="handle"))
    T.assume(A[bx, tx] > T.float32(-2))
    T.evaluate(T.assume(tx < 128))
    where = T.alloc_buffer((1,), "int32", scope="local")
    least = T.alloc_buffer((1,), scope="local")
    with T.attr(T.comm_reducer(lambda i, x, j, y: (T.Select(x < y or (x == y and i < j), i, j), T.Select(x < y, x, y)),
                               [T.int32(1000), T.float32("inf")]), "reduce_scope", T.int32(0)):
        T.evaluate(T.tvm_thread_allreduce(T.uint32(2), tx, A[bx, tx], True, where.data, least.data, tx, dtype="handle"))
    if tx == 0:
        B[bx] = total[0]
        C[bx] = where[0]
        D[bx] = T.if_then_else(where[0] < 128, least[0], T.undef(dtype="float32"))


outputs = {"B": ((4,), "float32"), "C": ((4,), "int32"), "D": ((4,), "float32")}


def reference(A):
    return {"B": A.astype(np.float64).sum(axis=1), "C": A.argmin(axis=1), "D": A.min(axis=1)}
