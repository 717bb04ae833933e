# Two thread-bound regions in one function, with blocks.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module(s_tir=True)
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float16")):
        for i in T.thread_binding(2, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("B"):
                    v = T.axis.spatial(64, i * 32 + j)
                    B[v] = A[v] * T.float32(2)
        for i in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("C"):
                v = T.axis.spatial(64, i)
                C[v] = T.cast(A[v], "float16")
