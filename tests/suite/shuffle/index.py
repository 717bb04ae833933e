# A permutation of the lanes, read from memory.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "int32"), P: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[t] = T.tvm_warp_shuffle(T.uint32(0xFFFFFFFF), A[t] * 3, P[t], 32, 32)


inputs = {"A": lambda rng: rng.integers(-99, 99, 32).astype("int32"), "P": lambda rng: rng.permutation(32).astype("int32")}


def reference(A, P):
    return {"B": A[P] * 3}
