# Division that rounds down: plain where the dividend cannot be negative, corrected where it can.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            B[tx // 8 * 8 + tx % 8] = A[tx] // 3 + A[tx] % 4
