# Device memory is not changed from the host, atomically or not.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32")):
    for i in range(4):
        T.atomic_add(A[i], 1)
