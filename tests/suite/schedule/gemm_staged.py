# A scheduled product: tiles of both operands staged through threadgroup memory by fused copy loops with a tail,
# four results a thread in registers. The stages have the operands' whole shapes, as a scheduler leaves them.
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((48, 64), "float32"), B: T.Buffer((64, 32), "float32"), C: T.Buffer((48, 32), "float32")):
    A_shared = T.alloc_buffer((48, 64), "float32", scope="shared")
    B_shared = T.alloc_buffer((64, 32), "float32", scope="shared")
    C_local = T.alloc_buffer((48, 32), "float32", scope="local")
    for by in T.thread_binding(3, thread="blockIdx.y"):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for ty in T.thread_binding(4, thread="threadIdx.y"):
                for tx in T.thread_binding(16, thread="threadIdx.x"):
                    for k0 in T.serial(4):
                        for f0 in T.serial(4):
                            for f1 in T.thread_binding(4, thread="threadIdx.y"):
                                for f2 in T.thread_binding(16, thread="threadIdx.x"):
                                    with T.block("A_shared"):
                                        v0 = T.axis.spatial(48, by * 16 + (f0 * 64 + f1 * 16 + f2) // 16)
                                        v1 = T.axis.spatial(64, k0 * 16 + (f0 * 64 + f1 * 16 + f2) % 16)
                                        T.where(f0 * 64 + f1 * 16 + f2 < 256)
                                        A_shared[v0, v1] = A[v0, v1]
                        for f0 in T.serial(5):
                            for f1 in T.thread_binding(4, thread="threadIdx.y"):
                                for f2 in T.thread_binding(16, thread="threadIdx.x"):
                                    with T.block("B_shared"):
                                        v0 = T.axis.spatial(64, k0 * 16 + (f0 * 64 + f1 * 16 + f2) // 16)
                                        v1 = T.axis.spatial(32, bx * 16 + (f0 * 64 + f1 * 16 + f2) % 16)
                                        T.where(f0 * 64 + f1 * 16 + f2 < 256)
                                        B_shared[v0, v1] = B[v0, v1]
                        for k1, i in T.grid(16, 4):
                            with T.block("C"):
                                vi = T.axis.spatial(48, by * 16 + ty * 4 + i)
                                vj = T.axis.spatial(32, bx * 16 + tx)
                                vk = T.axis.reduce(64, k0 * 16 + k1)
                                with T.init():
                                    C_local[vi, vj] = T.float32(0)
                                C_local[vi, vj] = C_local[vi, vj] + A_shared[vi, vk] * B_shared[vk, vj]
                    for i in T.serial(4):
                        with T.block("C_local"):
                            vi = T.axis.spatial(48, by * 16 + ty * 4 + i)
                            vj = T.axis.spatial(32, bx * 16 + tx)
                            C[vi, vj] = C_local[vi, vj]


def reference(A, B):
    return {"C": A.astype(np.float64) @ B.astype(np.float64)}
