# One kernel, one scalar argument.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), x: T.float32):
        T.func_attr({"tirx.noalias": True})
        for i in T.thread_binding(2, thread="blockIdx.x"):
            for j in T.thread_binding(32, thread="threadIdx.x"):
                B[i * 32 + j] = A[i * 32 + j] + x
