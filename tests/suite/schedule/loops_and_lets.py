# Loops with starts and steps, unit loops, nested blocks with their own bindings, a binding read from memory.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(P: T.Buffer((8,), "int32"), A: T.Buffer((8, 20), "float32"), B: T.Buffer((8, 20), "float32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        for u in range(1):
            for k in range(2, 12, 2):
                with T.sblock("outer"):
                    vt = T.axis.spatial(8, P[t + u])
                    vk = T.axis.spatial(20, k)
                    for e in T.serial(0, 2):
                        with T.sblock("inner"):
                            ve = T.axis.spatial(20, vk + e)
                            B[vt, ve] = A[vt, 19 - ve] * T.cast(ve, "float32")


inputs = {"P": lambda rng: rng.permutation(8).astype("int32"),
          "A": lambda rng: rng.uniform(-1, 1, (8, 20)).astype("float32"),
          "B": lambda rng: rng.uniform(-1, 1, (8, 20)).astype("float32")}


def reference(P, A, B):
    out = B.astype(np.float64)
    for e in range(2, 12):
        out[:, e] = A[:, 19 - e].astype(np.float64) * e
    return {"B": out}
