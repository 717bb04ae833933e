# A tiled product on 8x8 matrices as a scheduler writes it: every stage has the shape of the whole matrix, and blocks
# see tiles of it through views. A threadgroup keeps one tile of each stage.
from typing import TypeVar

from tvm.script import ir as I
from tvm.script import tirx as T

n = TypeVar("n")


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((n, T.int64(64)), "float16"), B: T.Buffer((T.int64(256), T.int64(64)), "float16"),
             C: T.Buffer((n, T.int64(256)), "float16")):
        As = T.sblock_alloc_buffer(((n + T.int64(15)) // T.int64(16) * T.int64(16), T.int64(64)), "float16", scope="shared")
        Bs = T.sblock_alloc_buffer((T.int64(256), T.int64(64)), "float16", scope="shared")
        At = T.sblock_alloc_buffer(((n + T.int64(15)) // T.int64(16) * T.int64(16), T.int64(64)), "float16", scope="metal.simdgroup")
        Bt = T.sblock_alloc_buffer((T.int64(64), T.int64(256)), "float16", scope="metal.simdgroup")
        Ct = T.sblock_alloc_buffer(((n + T.int64(15)) // T.int64(16) * T.int64(16), T.int64(256)), "float32", scope="metal.simdgroup")
        Cs = T.sblock_alloc_buffer(((n + T.int64(15)) // T.int64(16) * T.int64(16), T.int64(256)), "float32", scope="shared")
        for by in T.thread_binding((n + T.int64(15)) // T.int64(16), thread="blockIdx.y"):
            for bx in T.thread_binding(T.int64(8), thread="blockIdx.x"):
                for ty in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                    for i, j in T.grid(T.int64(2), T.int64(2)):
                        with T.sblock("zero"):
                            vi = T.axis.spatial((n + T.int64(15)) // T.int64(16) * T.int64(2), by * T.int64(2) + i)
                            vj = T.axis.spatial(T.int64(32), bx * T.int64(4) + ty * T.int64(2) + j)
                            T.reads()
                            T.writes(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)])
                            t = T.match_buffer(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                               (8, 8), "float32", strides=("s0", "s1"), scope="metal.simdgroup", offset_factor=1)
                            T.metal.make_filled_simdgroup_matrix(
                                t.data, t.elem_offset // t.strides[0] // 8 * (t.strides[0] // 8) + t.elem_offset % t.strides[0] // 8, T.float32(0))
                    for k0 in range(T.int64(4)):
                        for l in range(T.int64(4)):
                            for y in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                for x in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                    with T.sblock("load_a"):
                                        vi = T.axis.spatial((n + T.int64(15)) // T.int64(16) * T.int64(16),
                                                            by * T.int64(16) + (l * T.int64(64) + y * T.int64(32) + x) // T.int64(16))
                                        vk = T.axis.spatial(T.int64(64), k0 * T.int64(16) + (l * T.int64(64) + y * T.int64(32) + x) % T.int64(16))
                                        T.reads(A[vi, vk])
                                        T.writes(As[vi, vk])
                                        As[vi, vk] = T.if_then_else(vi < n, A[vi, vk], T.float16(0))
                        for l in range(T.int64(8)):
                            for y in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                                for x in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                    with T.sblock("load_b"):
                                        vj = T.axis.spatial(T.int64(256), bx * T.int64(32) + (l * T.int64(64) + y * T.int64(32) + x) // T.int64(16))
                                        vk = T.axis.spatial(T.int64(64), k0 * T.int64(16) + (l * T.int64(64) + y * T.int64(32) + x) % T.int64(16))
                                        T.reads(B[vj, vk])
                                        T.writes(Bs[vj, vk])
                                        Bs[vj, vk] = B[vj, vk]
                        for k1 in range(T.int64(2)):
                            for i in range(T.int64(2)):
                                with T.sblock("tile_a"):
                                    vi = T.axis.spatial((n + T.int64(15)) // T.int64(16) * T.int64(2), by * T.int64(2) + i)
                                    vk = T.axis.spatial(T.int64(8), k0 * T.int64(2) + k1)
                                    T.reads(As[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)])
                                    T.writes(At[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)])
                                    f = T.match_buffer(As[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float16", strides=("f0", "f1"), scope="shared", offset_factor=1)
                                    t = T.match_buffer(At[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float16", strides=("t0", "t1"), scope="metal.simdgroup", offset_factor=1)
                                    T.metal.simdgroup_load(
                                        t.data, t.elem_offset // t.strides[0] // 8 * (t.strides[0] // 8) + t.elem_offset % t.strides[0] // 8,
                                        f.access_ptr("r"), f.strides[0], 8, 8, False)
                            for j in range(T.int64(2)):
                                with T.sblock("tile_b"):
                                    vj = T.axis.spatial(T.int64(32), bx * T.int64(4) + ty * T.int64(2) + j)
                                    vk = T.axis.spatial(T.int64(8), k0 * T.int64(2) + k1)
                                    T.reads(Bs[vj * T.int64(8):vj * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)])
                                    T.writes(Bt[vk * T.int64(8):vk * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)])
                                    f = T.match_buffer(Bs[vj * T.int64(8):vj * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float16", strides=("f0", "f1"), scope="shared", offset_factor=1)
                                    t = T.match_buffer(Bt[vk * T.int64(8):vk * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float16", strides=("t0", "t1"), scope="metal.simdgroup", offset_factor=1)
                                    T.metal.simdgroup_load(
                                        t.data, t.elem_offset // t.strides[0] // 8 * (t.strides[0] // 8) + t.elem_offset % t.strides[0] // 8,
                                        f.access_ptr("r"), f.strides[0], 8, 8, True)
                            for i, j in T.grid(T.int64(2), T.int64(2)):
                                with T.sblock("multiply"):
                                    vi = T.axis.spatial((n + T.int64(15)) // T.int64(16) * T.int64(2), by * T.int64(2) + i)
                                    vj = T.axis.spatial(T.int64(32), bx * T.int64(4) + ty * T.int64(2) + j)
                                    vk = T.axis.reduce(T.int64(8), k0 * T.int64(2) + k1)
                                    T.reads(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                            At[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)],
                                            Bt[vk * T.int64(8):vk * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)])
                                    T.writes(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)])
                                    a = T.match_buffer(At[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vk * T.int64(8):vk * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float16", strides=("a0", "a1"), scope="metal.simdgroup", offset_factor=1)
                                    b = T.match_buffer(Bt[vk * T.int64(8):vk * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float16", strides=("b0", "b1"), scope="metal.simdgroup", offset_factor=1)
                                    c = T.match_buffer(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                                       (8, 8), "float32", strides=("c0", "c1"), scope="metal.simdgroup", offset_factor=1)
                                    T.metal.simdgroup_multiply_accumulate(
                                        c.data, c.elem_offset // c.strides[0] // 8 * (c.strides[0] // 8) + c.elem_offset % c.strides[0] // 8,
                                        a.data, a.elem_offset // a.strides[0] // 8 * (a.strides[0] // 8) + a.elem_offset % a.strides[0] // 8,
                                        b.data, b.elem_offset // b.strides[0] // 8 * (b.strides[0] // 8) + b.elem_offset % b.strides[0] // 8,
                                        c.data, c.elem_offset // c.strides[0] // 8 * (c.strides[0] // 8) + c.elem_offset % c.strides[0] // 8)
                    for i, j in T.grid(T.int64(2), T.int64(2)):
                        with T.sblock("tile_c"):
                            vi = T.axis.spatial((n + T.int64(15)) // T.int64(16) * T.int64(2), by * T.int64(2) + i)
                            vj = T.axis.spatial(T.int64(32), bx * T.int64(4) + ty * T.int64(2) + j)
                            T.reads(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)])
                            T.writes(Cs[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)])
                            f = T.match_buffer(Ct[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                               (8, 8), "float32", strides=("f0", "f1"), scope="metal.simdgroup", offset_factor=1)
                            t = T.match_buffer(Cs[vi * T.int64(8):vi * T.int64(8) + T.int64(8), vj * T.int64(8):vj * T.int64(8) + T.int64(8)],
                                               (8, 8), "float32", strides=("t0", "t1"), scope="shared", offset_factor=1)
                            T.metal.simdgroup_store(
                                f.data, f.elem_offset // f.strides[0] // 8 * (f.strides[0] // 8) + f.elem_offset % f.strides[0] // 8,
                                t.access_ptr("w"), t.strides[0], 8, 8, False)
                    for l in range(T.int64(8)):
                        for y in T.thread_binding(T.int64(2), thread="threadIdx.y"):
                            for x in T.thread_binding(T.int64(32), thread="threadIdx.x"):
                                with T.sblock("store_c"):
                                    vi = T.axis.spatial((n + T.int64(15)) // T.int64(16) * T.int64(16), by * T.int64(16) + l * T.int64(2) + y)
                                    vj = T.axis.spatial(T.int64(256), bx * T.int64(32) + x)
                                    T.where(by * T.int64(16) + l * T.int64(2) + y < n)
                                    T.reads(Cs[vi, vj])
                                    T.writes(C[vi, vj])
                                    C[vi, vj] = T.Cast("float16", Cs[vi, vj])


# Sums of multiples of 1/16 that float32 holds; the result is rounded once.
inputs = {
    "A": lambda rng: (rng.integers(-16, 16, (37, 64)) / 16).astype("float16"),
    "B": lambda rng: (rng.integers(-16, 16, (256, 64)) / 16).astype("float16"),
}
outputs = {"C": ((37, 256), "float16")}
tolerance = 0


def reference(A, B):
    return {"C": (A.astype(np.float64) @ B.astype(np.float64).T).astype("float16")}
