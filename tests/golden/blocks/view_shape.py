# A view has the shape of its region.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((4,), "float32")):
    for t in T.thread_binding(4, thread="threadIdx.x"):
        with T.sblock("tile"):
            vt = T.axis.spatial(4, t)
            V = T.match_buffer(A[vt * 4 : vt * 4 + 4, 0:4], (4, 5))
            B[vt] = V[0, 1]
