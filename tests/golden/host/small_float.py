# Host code has registers for the plain types only.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8,), "float32"), x: T.float32):
    y: T.let = T.Cast("float32", T.Cast("float8_e4m3fn", x))
    for t in T.thread_binding(8, thread="threadIdx.x"):
        A[t] = y
