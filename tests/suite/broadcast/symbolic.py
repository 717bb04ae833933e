# A length known at the call only.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for bx in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
            for tx in T.thread_binding(32, thread="threadIdx.x"):
                if bx * 32 + tx < n:
                    B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)


inputs = {"A": lambda rng: rng.uniform(-1, 1, 77).astype("float32")}


def reference(A):
    return {"B": A + 1}
