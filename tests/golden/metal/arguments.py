# Scalars lie in the argument struct at multiples of 8 bytes, sorted by name; what a kernel only reads is const.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), d: T.int8, c: T.int64, b: T.float16, a: T.int32, e: T.bool):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        if e:
            B[t] = A[t] + T.Cast("float32", a) + T.Cast("float32", b) + T.Cast("float32", c) + T.Cast("float32", d)
