# A product of bytes wraps as they do, over 8 threads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 8), "int8"), B: T.Buffer((12,), "int8")):
    for i in T.thread_binding(12, thread="blockIdx.x"):
        for k in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("prod"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.int8(1)
                B[vi] = B[vi] * A[vi, vk]


inputs = {"A": lambda rng: (rng.integers(-60, 60, (12, 8)) * 2 + 1).astype("int8")}


def reference(A):
    out = []
    for row in A.tolist():
        p = 1
        for v in row:
            p = p * v
        out.append((p + 128) % 256 - 128)
    return {"B": np.array(out, "int8")}
