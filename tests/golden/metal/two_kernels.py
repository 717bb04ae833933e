# Two regions of threads in one function become two kernels, launched one after the other.
from tvm.script import ir as I
from tvm.script import tirx as T

n = 1024


@I.ir_module(s_tir=True)
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32"), C: T.Buffer((n,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i_0 in T.thread_binding(n // 32, thread="blockIdx.x"):
            for i_1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("B"):
                    v_i = T.axis.spatial(n, i_0 * 32 + i_1)
                    B[v_i] = A[v_i] + T.float32(1)
        for i_0 in T.thread_binding(n // 32, thread="blockIdx.x"):
            for i_1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("C"):
                    v_i = T.axis.spatial(n, i_0 * 32 + i_1)
                    C[v_i] = A[v_i] + T.float32(2)
