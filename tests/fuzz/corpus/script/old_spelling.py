import tvm
from tvm.script import tir as T

n = 64


@T.prim_func
def main(a: T.handle, B: T.Buffer[(n,), "float16"], k: T.int32) -> None:
    T.func_attr({"global_symbol": "main", "tir.noalias": True})
    A = T.match_buffer(a, (n,), "float16")
    for i in T.thread_binding(0, n, thread="threadIdx.x"):
        with T.block("B"):
            vi = T.axis.spatial(n, i)
            T.where(vi < k)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = T.max(A[vi] // T.float16(1.5), T.float16("-inf")) if vi % 2 == 0 else -A[vi]
