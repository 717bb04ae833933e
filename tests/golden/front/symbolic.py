# Sizes that the call decides.
from tvm.script import tirx as T


@T.prim_func
def main(a: T.handle, B: T.Buffer(("n", "n + 1"), "float32"), m: T.int64):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    for i in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
        for j in T.thread_binding(32, thread="threadIdx.x"):
            if i * 32 + j < n:
                A[i * 32 + j] = B[i * 32 + j, 1] + T.float32(m)
