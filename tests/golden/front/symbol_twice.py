from tvm.script import ir as I, tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def first(A: T.Buffer((64,), "float32")):
        T.func_attr({"global_symbol": "main"})
        for i in T.thread_binding(64, "threadIdx.x"):
            A[i] = T.float32(1)

    @T.prim_func
    def main(A: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, "threadIdx.x"):
            A[i] = T.float32(2)

    @R.function
    def around(A):
        return A
