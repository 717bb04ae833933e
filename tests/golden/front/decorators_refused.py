from tvm.script import ir as I, tirx as T


@T.jit(private=True)
def kernel(A: T.Buffer((64,), "float32"), n: T.constexpr):
    A[0] = n


@T.no_such
def other(A: T.Buffer((64,), "float32")):
    A[0] = 1
