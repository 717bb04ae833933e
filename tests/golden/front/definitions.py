# Names of the surrounding Python, given on the command line (see definitions.args).
from tvm.script import tirx as T

n = 8
m = n * 2


@T.prim_func
def main(A: T.Buffer((n, m), dtype)):
    for i in T.thread_binding(n, thread="threadIdx.x"):
        for j in range(m):
            A[i, j] = value
