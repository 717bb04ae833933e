# Ramps: elements at a stride, read together and written together; one runs backwards.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((128,), "int32"), B: T.Buffer((128,), "int32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[T.ramp(t + 96, -32, 4)] = A[T.ramp(t, 32, 4)]


inputs = {"A": lambda rng: rng.integers(-99, 99, 128).astype("int32")}


def reference(A):
    return {"B": A.reshape(4, 32)[::-1].reshape(-1)}
