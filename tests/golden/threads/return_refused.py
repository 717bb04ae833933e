# Returns that would leave others waiting, or that make no sense: in a branch before a barrier, in a loop with one, and with a value.
from tvm.script import tirx as T


@T.prim_func
def before(A: T.Buffer((64,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        S = T.alloc_buffer((64,), "int32", scope="shared")
        if t > 32:
            return
        S[t] = A[t]
        A[t] = S[63 - t]


@T.prim_func
def in_loop(A: T.Buffer((64,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        for k in range(4):
            A[t] = T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), A[t], 0, 32, 32)
            if A[t] > k:
                T.thread_return()


@T.prim_func
def valued(A: T.Buffer((64,), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        if t > 3:
            return 1
        A[t] = 0
