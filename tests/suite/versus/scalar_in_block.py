# A local scalar assigned in a block that does not say what it reads and writes.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 2), "int32")):
    for i in T.thread_binding(1, thread="blockIdx.x"):
        for j in T.thread_binding(1, thread="threadIdx.x"):
            with T.sblock("block"):
                tx = T.axis.spatial(1, i + j)
                r = T.ramp(tx, 3, 2)
                A[0, T.ramp(0, 1, 2)] = r


def reference():
    return {"A": np.array([[0, 3], [0, 0]], "int32")}
