# Names that are words of C++ or Metal, or hold characters that no identifier can.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def kernel(device: T.Buffer((64,), "float32"), half: T.Buffer((64,), "float32"), constant: T.float32,
               float4: T.int32, Half: T.Buffer((64,), "float32")):
        for threadgroup in T.thread_binding(2, thread="blockIdx.x"):
            for thread in T.thread_binding(32, thread="threadIdx.x"):
                half[threadgroup * 32 + thread] = device[threadgroup * 32 + thread] * constant
                Half[threadgroup * 32 + thread] = T.Cast("float32", float4)
