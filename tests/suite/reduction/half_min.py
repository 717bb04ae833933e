# The least of halves, over 96 threads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 96), "float16"), B: T.Buffer((4,), "float16")):
    for i in T.thread_binding(4, thread="blockIdx.x"):
        for k in T.thread_binding(96, thread="threadIdx.x"):
            with T.sblock("min"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.max_value("float16")
                B[vi] = T.min(B[vi], A[vi, vk])


inputs = {"A": lambda rng: rng.uniform(-100, 100, (4, 96)).astype("float16")}
tolerance = 0


def reference(A):
    return {"B": A.min(axis=1)}
