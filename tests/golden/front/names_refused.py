# Characters that Python would take for others, and signs that are no letters.
from tvm.script import tirx as T

µ = 3
ﬁne = 4
n→m = 5
x² = 6


@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for é in T.thread_binding(32, thread="threadIdx.x"):
        A[é] = T.float32(0)
