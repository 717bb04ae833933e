# Where a reduction starts: before the loops that only ask for its first round.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def split(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            for ko, ki in T.grid(16, 4):
                with T.sblock("sum"):
                    vi = T.axis.spatial(64, i)
                    vk = T.axis.reduce(64, ko * 4 + ki)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]

    @T.prim_func
    def any_length(a: T.handle, b: T.handle):
        m = T.int32()
        A = T.match_buffer(a, (64, m), "float32")
        B = T.match_buffer(b, (64,), "float32")
        for i in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(m):
                with T.sblock("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]

    # The start of the four sums stands in the loop over them: another round of ko comes back to each.
    @T.prim_func
    def between(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
        for i in T.thread_binding(16, thread="threadIdx.x"):
            for ko, j, ki in T.grid(16, 4, 4):
                with T.sblock("sum"):
                    vi = T.axis.spatial(64, i * 4 + j)
                    vk = T.axis.reduce(64, ko * 4 + ki)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + A[vi, vk]

    # Not the first round alone, and not the first thing of a round.
    @T.prim_func
    def stays(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            for k in range(8):
                if k < 2:
                    B[i] = A[k]
                if k == 0:
                    B[i] = B[i] + A[i]
