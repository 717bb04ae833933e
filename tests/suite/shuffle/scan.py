# An inclusive prefix sum of 32 lanes by five shuffles up.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 32), "int32"), B: T.Buffer((4, 32), "int32")):
    for g in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            s = A[g, t]
            for k in T.unroll(5):
                o: T.let = T.tvm_warp_shuffle_up(T.uint32(0xFFFFFFFF), s, 1 << k, 32, 32)
                s = s + T.Select(t >= (1 << k), o, 0)
            B[g, t] = s


inputs = {"A": lambda rng: rng.integers(-99, 99, (4, 32)).astype("int32")}


def reference(A):
    return {"B": A.cumsum(axis=1).astype("int32")}
