# Every scalar type that Metal has, as an argument and in a buffer.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.int8, b: T.uint8, c: T.int16, d: T.uint16, e: T.int32, f: T.uint32, g: T.int64, h: T.float16,
             i: T.bool, A: T.Buffer((8,), "int64"), B: T.Buffer((8,), "bool")):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            A[tx] = T.Cast("int64", a) + T.Cast("int64", b) + T.Cast("int64", c) + T.Cast("int64", d)
            A[tx] = A[tx] + T.Cast("int64", e) + T.Cast("int64", f) + g + T.Cast("int64", h)
            B[tx] = i
