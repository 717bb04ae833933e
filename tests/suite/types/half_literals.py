# A float literal beside a half is a float32: the sum is rounded once, at the store.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((256,), "float16"), B: T.Buffer((256,), "float16"), C: T.Buffer((256,), "float16")):
    for t in T.thread_binding(256, thread="threadIdx.x"):
        B[t] = A[t] * 0.1 + 0.3
        C[t] = A[t] * T.float16(0.1) + T.float16(0.3)


inputs = {"A": lambda rng: rng.uniform(-100, 100, 256).astype("float16")}
tolerance = 0


def reference(A):
    x = A.astype("float32") * np.float32(0.1) + np.float32(0.3)
    return {"B": x.astype("float16"), "C": A * np.float16(0.1) + np.float16(0.3)}
