# A constant has its type's value before a function of it is folded: 4194304.25 is no float32, 1024.4 and 2049 are no halves.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
    for t in T.thread_binding(1, thread="threadIdx.x"):
        B[0] = T.ceil(T.float32(4194304.25))
        B[1] = T.ceil(T.float32(4194304.5)) + A[0] * T.float32(0)
        B[2] = T.Cast("float32", T.ceil(T.float16(1024.4)))
        B[3] = T.Cast("float32", T.float16(2049) + T.float16(0))


tolerance = 0


def reference(A):
    return {"B": np.array([4194304, 4194305, 1024, 2048], "float32")}
