# Powers of integers, which a float function would round; a float base or exponent is enough.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), F: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        A[t] = T.pow(A[t], 3)
        F[t] = T.pow(F[t], A[t])
        F[t] = T.pow(A[t], 0.5)
        F[t] = T.pow(A[t] > 1, A[t])
