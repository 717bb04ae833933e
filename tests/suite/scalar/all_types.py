# Scalars of every type in one launch, in no order.
from tvm.script import tirx as T


@T.prim_func
def main(z: T.int16, B: T.Buffer((10,), "float32"), y: T.float16, x: T.int64, w: T.uint32, v: T.bool, u: T.uint8, t0: T.float32,
         s: T.int8, r: T.uint16, q: T.int32):
    for t in T.thread_binding(1, thread="threadIdx.x"):
        B[0] = T.Cast("float32", z)
        B[1] = T.Cast("float32", y)
        B[2] = T.Cast("float32", x >> T.int64(32))
        B[3] = T.Cast("float32", w)
        B[4] = T.Cast("float32", v)
        B[5] = T.Cast("float32", u)
        B[6] = t0
        B[7] = T.Cast("float32", s)
        B[8] = T.Cast("float32", r)
        B[9] = T.Cast("float32", q)


args = {"z": -300, "y": 0.5, "x": 5 << 32, "w": 3000000000, "v": True, "u": 250, "t0": -1.25, "s": -128, "r": 65535, "q": -70000}
tolerance = 0


def reference(z, y, x, w, v, u, t0, s, r, q):
    return {"B": np.array([-300, 0.5, 5, 3e9, 1, 250, -1.25, -128, 65535, -70000], "float32")}
