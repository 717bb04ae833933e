# A scalar argument: it reaches the kernel in a struct of its own, by value.
# run: --arg x=2.5 --in A=arange
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def func(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), x: T.float32):
        for i in T.thread_binding(16, thread="threadIdx.x"):
            B[i] = A[i] + x
