# Vectorized loops: dense data packed, strided data gathered, eight lanes as twice four.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 8), "float32"), B: T.Buffer((64, 8), "float32"), C: T.Buffer((64, 3), "float16"),
             D: T.Buffer((64, 6), "float16")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            for v in T.vectorized(8):
                B[tx, v] = A[tx, v] + T.float32(1)
            for v in T.vectorized(3):
                D[tx, v * 2] = C[tx, v]
