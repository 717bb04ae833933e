from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module(s_tir=True)
class Module:
    @T.prim_func
    def matmul(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
        for by, bx in T.grid(2, 2):
            for ty in T.thread_binding(16, thread="threadIdx.y"):
                for tx in T.thread_binding(16, thread="threadIdx.x"):
                    for k in T.serial(32):
                        with T.sblock("C"):
                            vi, vj, vk = T.axis.remap("SSR", [by * 16 + ty, bx * 16 + tx, k])
                            with T.init():
                                C[vi, vj] = T.float32(0)
                            C[vi, vj] += A[vi, vk] * B[vk, vj]
