# Loops within an unrolled one whose extents come from its variable: constants, and nothing to do for some.
from tvm.script import tirx as T


@T.prim_func
def main(B: T.Buffer((2, 8), "int32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        B[0, t] = 0
        B[1, t] = 0
        for i in T.unroll(0, 3):
            for k in range(7 + i):
                B[0, t] = B[0, t] + k * i
            for k in range(t - i + (-t) + 1):
                B[1, t] = B[1, t] + k + 1


def reference():
    total = sum(k * i for i in range(3) for k in range(7 + i))
    return {"B": np.array([[total] * 8, [1] * 8], "int32")}
