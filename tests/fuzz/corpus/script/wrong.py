# Several errors: reporting them must survive a lack of memory too.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        B[i] = A[i, 0] + missing
        B[i] = A[i] + T.no_such_name(i)
