# Metal's and C++'s words as names of everything that has one: buffers, scalars, loops, memory, a block.
from tvm.script import tirx as T


@T.prim_func
def threadgroup(half: T.Buffer((32,), "float32"), new: T.Buffer((32,), "float32"), complex: T.Buffer((32,), "float32"),
                vec: T.float32, max: T.int32, main: T.float32, INFINITY: T.float32, uint3: T.int32, bfloat: T.float32):
    for device in T.thread_binding(32, thread="threadIdx.x"):
        constant = T.alloc_buffer((32,), "float32", scope="shared")
        thread = T.alloc_buffer((2,), "float32", scope="local")
        constant[device] = half[device] * vec
        for kernel in range(2):
            thread[kernel] = constant[31 - device] + T.Cast("float32", kernel)
        metal: T.let = thread[0] * main + thread[1] * INFINITY
        for asm in range(max):
            with T.sblock("template"):
                MAXFLOAT = T.axis.spatial(4, asm)
                if MAXFLOAT == uint3:
                    new[device] = metal
        complex[device] = metal * bfloat


args = {"vec": 2.0, "max": 4, "main": 0.5, "INFINITY": 0.25, "uint3": 3, "bfloat": -1.0}


def reference(half, **rest):
    x = 2 * half.astype(np.float64)[::-1]
    metal = x * 0.5 + (x + 1) * 0.25
    return {"new": metal, "complex": -metal}
