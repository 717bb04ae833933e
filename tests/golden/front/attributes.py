from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.attr({"first": 1, "second": "x", "tir.third": T.target("metal")})
    for i in T.thread_binding(64, "threadIdx.x"):
        with T.attr({"inner": True, "innermost": 3.5}), T.attr(A, "last", 7):
            B[i] = A[i] + T.float32(1)
