# A reduction over a serial loop and over threads; inside that loop all threads fetch what is reduced into threadgroup memory.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 512), "float32"), B: T.Buffer((32, 512), "float32"), C: T.Buffer((32,), "float32")):
    As = T.sblock_alloc_buffer((32, 512), "float32", scope="shared")
    Bs = T.sblock_alloc_buffer((32, 512), "float32", scope="shared")
    Cl = T.sblock_alloc_buffer((32,), "float32", scope="local")
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            for tx in T.thread_binding(16, thread="threadIdx.x"):
                for k0 in range(8):
                    for i in range(4):
                        for y in T.thread_binding(4, thread="threadIdx.y"):
                            for x in T.thread_binding(16, thread="threadIdx.x"):
                                with T.sblock("fetch_a"):
                                    vi = T.axis.spatial(32, bx * 4 + (i * 64 + y * 16 + x) // 64)
                                    vk = T.axis.spatial(512, k0 * 64 + (i * 64 + y * 16 + x) % 64)
                                    As[vi, vk] = A[vi, vk]
                    for i in range(4):
                        for y in T.thread_binding(4, thread="threadIdx.y"):
                            for x in T.thread_binding(16, thread="threadIdx.x"):
                                with T.sblock("fetch_b"):
                                    vi = T.axis.spatial(32, bx * 4 + (i * 64 + y * 16 + x) // 64)
                                    vk = T.axis.spatial(512, k0 * 64 + (i * 64 + y * 16 + x) % 64)
                                    Bs[vi, vk] = B[vi, vk]
                    for k1 in range(4):
                        with T.sblock("dot"):
                            vi = T.axis.spatial(32, bx * 4 + ty)
                            vk = T.axis.reduce(512, k0 * 64 + k1 * 16 + tx)
                            with T.init():
                                Cl[vi] = T.float32(0)
                            Cl[vi] = Cl[vi] + As[vi, vk] * Bs[vi, vk]
            with T.sblock("store"):
                vi = T.axis.spatial(32, bx * 4 + ty)
                C[vi] = Cl[vi] * T.float32(2)


inputs = {name: lambda rng: (rng.integers(-8, 8, (32, 512)) / 8).astype("float32") for name in "AB"}
outputs = {"C": ((32,), "float32")}
tolerance = 0


def reference(A, B):
    return {"C": 2 * (A.astype(np.float64) * B.astype(np.float64)).sum(1)}
