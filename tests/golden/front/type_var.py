# Sizes as Python's type variables, of the module or of one function.
from typing import TypeVar

from tvm.script import ir as I
from tvm.script import tirx as T

n = TypeVar("n")
m = TypeVar("m")


@I.ir_module
class Module:
    @T.prim_func
    def first(A: T.Buffer((n, m), "float32"), B: T.Buffer((n + 1,), "float32")):
        for i in T.thread_binding(n, thread="blockIdx.x"):
            B[i] = A[i, m - 1]

    @T.prim_func
    def second(m: T.int32, A: T.Buffer((n, m), "float32")):
        for i in T.thread_binding(n, thread="blockIdx.x"):
            A[i, m - 1] = T.float32(0)

    @T.prim_func
    def third(A: T.Buffer((n, m), "float32"), m: T.int32):
        for i in T.thread_binding(n, thread="blockIdx.x"):
            A[i, m - 1] = T.float32(1)

    @T.prim_func
    def quoted(A: T.Buffer(("n", "n * m"), "float32"), B: T.Buffer(("m",), "float32")):
        for i in T.thread_binding(m, thread="blockIdx.x"):
            B[i] = A[0, i]

    @T.prim_func
    def own[k](A: T.Buffer((k,), "float32")):
        T.func_attr({"target": T.target({"kind": "metal", "host": {"kind": "llvm", "mattr": ["+a", "+b"]}, "max_num_threads": 256})})
        for i in T.thread_binding(k, thread="blockIdx.x"):
            A[i] = T.float32(2)
