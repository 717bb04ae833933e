# Calls between functions that cannot be: each with its own message.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), S: T.Buffer((8, 8), "float32"), n: T.int32):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        A[t] = helper(A[t])
        A[t] = helper(A[t], 1, 2)
        A[t] = helper(A[t], z=1)
        half(S)
        half(t)
        A[t] = T.if_then_else(t < 3, loop(A), T.float32(0))
        main(A, S, n)
        early(A, t)
        A[t] = unknown(A[t])
    wrong_size(A)
    same_size(A, S)


@T.prim_func(private=True)
def helper(x: T.float32, y: T.float32) -> T.float32:
    return x * y


@T.prim_func(private=True)
def half(A: T.Buffer((64,), "float16")):
    A[0] = A[1]


@T.prim_func(private=True)
def loop(A: T.Buffer((64,), "float32")) -> T.float32:
    acc = T.float32(0)
    for i in range(64):
        acc = acc + A[i]
    return acc


@T.prim_func(private=True)
def early(A: T.Buffer((64,), "float32"), t: T.int32):
    if t > 3:
        return
    A[t] = T.float32(0)


@T.prim_func(private=True)
def wrong_size(A: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        A[t] = T.float32(0)


@T.prim_func(private=True)
def same_size(A: T.Buffer(("n",), "float32"), B: T.Buffer(("m", "n"), "float32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        A[t] = B[0, t]
