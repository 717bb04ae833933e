# Threadgroup memory, barriers and a loop: a tree reduction of 64 values.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((1,), "float32")):
        for t in T.thread_binding(64, thread="threadIdx.x"):
            S = T.alloc_buffer((64,), "float32", scope="shared")
            S[t] = A[t]
            for k in range(6):
                if t < T.shift_right(32, k):
                    S[t] = S[t] + S[t + T.shift_right(32, k)]
            if t == 0:
                B[0] = S[0]
