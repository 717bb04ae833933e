# Metal has no double.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float64"), B: T.Buffer((8,), "float64")):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            B[tx] = A[tx]
