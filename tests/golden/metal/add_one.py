# Adds 1 to each of 1,024 floats: 32 threadgroups of 32 threads.
from tvm.script import ir as I
from tvm.script import tirx as T

n = 1024


@I.ir_module(s_tir=True)
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i_0 in T.thread_binding(n // 32, thread="blockIdx.x"):
            for i_1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("B"):
                    v_i = T.axis.spatial(n, i_0 * 32 + i_1)
                    T.reads(A[v_i])
                    T.writes(B[v_i])
                    B[v_i] = A[v_i] + T.float32(1.0)
