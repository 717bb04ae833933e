from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4,), "float32")):
    A[0] = = 1
    for i in range(4)
        A[i] = 1.0
    A[1] = (1 +
            2) 3
    A[2] = 1.0
    if A[0] > 1.0:
        A[3] = 1..2
