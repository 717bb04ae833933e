# The largest value of each row and where it is: a reduction of pairs over 64 threads.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((5, 64), "float32"), V: T.Buffer((5,), "float32"), N: T.Buffer((5,), "int32")):
    for i in T.thread_binding(5, thread="blockIdx.x"):
        v = T.alloc_buffer((1,), "float32", scope="local")
        n = T.alloc_buffer((1,), "int32", scope="local")
        for t in T.thread_binding(64, thread="threadIdx.x"):
            with T.attr(
                T.comm_reducer(
                    lambda av, an, bv, bn: (T.Select(av >= bv, av, bv), T.Select(av >= bv, an, bn)),
                    [T.float32("-inf"), T.int32(-1)],
                ),
                "reduce_scope",
                T.int32(0),
            ):
                T.tvm_thread_allreduce(T.uint32(2), A[i, t], t, True, v[0], n[0], t, dtype="handle")
            if t == 0:
                V[i] = v[0]
                N[i] = n[0]


inputs = {"A": lambda rng: rng.permutation(5 * 64).reshape(5, 64).astype("float32")}
tolerance = 0


def reference(A):
    return {"V": A.max(axis=1), "N": A.argmax(axis=1).astype("int32")}
