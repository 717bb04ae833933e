# The first example in the older spelling: tir, T.block, T.Buffer[...], a handle that is matched.
import tvm
from tvm.script import tir as T


@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, (1024,), dtype="float32")
        B = T.match_buffer(b, (1024,), dtype="float32")
        for i_0 in T.thread_binding(32, thread="blockIdx.x"):
            for i_1 in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("B"):
                    v_i = T.axis.spatial(1024, i_0 * 32 + i_1)
                    T.reads(A[v_i])
                    T.writes(B[v_i])
                    B[v_i] = A[v_i] + T.float32(1.0)
