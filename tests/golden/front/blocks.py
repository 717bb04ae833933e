# Blocks: remapped axes, an init, a predicate, regions, and memory of the block.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((30, 8), "float32"), B: T.Buffer((30,), "float32")):
    for i in T.thread_binding(32, thread="threadIdx.x"):
        for k in range(8):
            with T.sblock("sum"):
                T.where(i < 30)
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk])
                T.writes(B[vi])
                doubled = T.sblock_alloc_buffer((1,), "float32", scope="local")
                with T.init():
                    B[vi] = 0.0
                doubled[0] = A[vi, vk] * 2
                B[vi] = B[vi] + doubled[0]
