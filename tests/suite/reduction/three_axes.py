# One reduction over all three thread axes, with one axis of extent 1.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 1, 6, 7), "int32"), B: T.Buffer((3,), "int32")):
    for g in T.thread_binding(3, thread="blockIdx.x"):
        for z in T.thread_binding(1, thread="threadIdx.z"):
            for y in T.thread_binding(6, thread="threadIdx.y"):
                for x in T.thread_binding(7, thread="threadIdx.x"):
                    with T.sblock("sum"):
                        vi, vz, vy, vx = T.axis.remap("SRRR", [g, z, y, x])
                        with T.init():
                            B[vi] = 0
                        B[vi] = B[vi] + A[vi, vz, vy, vx]


inputs = {"A": lambda rng: rng.integers(-1000, 1000, (3, 1, 6, 7)).astype("int32")}


def reference(A):
    return {"B": A.sum(axis=(1, 2, 3)).astype("int32")}
