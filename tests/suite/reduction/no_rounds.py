# Sums over rows of any length, also of none: without an element nothing starts the sum, and the buffer stays as it was.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def empty(e: T.handle, b: T.handle):
        m = T.int32()
        E = T.match_buffer(e, (8, m), "float32")
        B = T.match_buffer(b, (8,), "float32")
        for i in T.thread_binding(8, thread="threadIdx.x"):
            for k in range(m):
                with T.sblock("sum"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + E[vi, vk]

    @T.prim_func
    def some(a: T.handle, b: T.handle):
        m = T.int32()
        A = T.match_buffer(a, (8, m), "float32")
        B = T.match_buffer(b, (8,), "float32")
        for i in T.thread_binding(8, thread="threadIdx.x"):
            for k, l in T.grid(m, 2):
                with T.sblock("sum"):
                    vi = T.axis.spatial(8, i)
                    vk, vl = T.axis.remap("RR", [k, l])
                    with T.init():
                        B[vi] = T.float32(-1)
                    B[vi] = B[vi] + A[vi, vk]


inputs = {
    "E": lambda rng: np.zeros((8, 0), "float32"),
    "A": lambda rng: rng.uniform(-1, 1, (8, 3)).astype("float32"),
    "B": lambda rng: rng.uniform(-1, 1, 8).astype("float32"),
}
functions = {
    "empty": lambda E, B: {"B": B},
    "some": lambda A, B: {"B": 2 * A.astype("float64").sum(axis=1) - 1},
}
