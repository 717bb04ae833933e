# Infinities and NaN as constants, in float32 and float16.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float16")):
        for i in T.thread_binding(1, thread="threadIdx.x"):
            A[0] = T.float32("inf")
            A[1] = T.float32("-inf")
            A[2] = T.float32("nan")
            B[0] = T.float16("inf")
            B[1] = T.float16("-inf")
            B[2] = T.float16("nan")
