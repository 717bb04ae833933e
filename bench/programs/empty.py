# As little as a kernel can do: one thread, one store.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((1,), "float32")):
        for tx in T.thread_binding(1, thread="threadIdx.x"):
            A[tx] = T.float32(1)
