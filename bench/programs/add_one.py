# W1: 16 Mi floats, 256 threads a threadgroup.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16777216,), "float32"), B: T.Buffer((16777216,), "float32")):
        for bx in T.thread_binding(65536, thread="blockIdx.x"):
            for tx in T.thread_binding(256, thread="threadIdx.x"):
                B[bx * 256 + tx] = A[bx * 256 + tx] + T.float32(1)
