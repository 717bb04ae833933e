# Sums that need 64 bits, over 40 threads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((5, 40), "int64"), B: T.Buffer((5,), "int64")):
    for i in T.thread_binding(5, thread="blockIdx.x"):
        for k in T.thread_binding(40, thread="threadIdx.x"):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.int64(0)
                B[vi] = B[vi] + A[vi, vk]


inputs = {"A": lambda rng: rng.integers(-(2**55), 2**55, (5, 40))}


def reference(A):
    return {"B": np.array([sum(row) for row in A.tolist()], "int64")}
