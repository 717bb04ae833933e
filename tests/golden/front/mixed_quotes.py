# A size that one dimension defines in quotes and another one uses, before the scalar that it is.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((1, "n", n), "float32"), n: T.int32, B: T.Buffer(shape=(m, "m", "m + 1"), dtype="float32")):
    for i in T.thread_binding(n, thread="blockIdx.x"):
        A[0, i, i] = B[0, m - 1, m]
