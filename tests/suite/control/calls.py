# Functions that call each other: scalar helpers in kernels (also where only one arm is evaluated), a helper with a loop, one that
# stores, whole programs with kernels of their own and symbolic shapes, by the older spelling and by name. Private ones that are
# called need not stand by themselves.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((2, 32), "float32")):
        Module.twice(A, B)
        for t in T.thread_binding(64, thread="threadIdx.x"):
            x: T.let = Module.clamp(B[t], T.float32(0.5))
            B[t] = T.if_then_else(t < 60, Module.square(A[t + 4]), T.float32(7)) + x + Module.total(A, t)
            Module.put(C, t // 32, t % 32, value=Module.square(A[t]) if t > 3 else A[t])
        Module.scale(B, 2)

    @T.prim_func(private=True)
    def square(x: T.float32) -> T.float32:
        return x * x

    @T.prim_func(private=True)
    def clamp(x: T.float32, most: T.float32) -> T.float32:
        y: T.let = T.min(x, most)
        return T.max(y, -most)

    @T.prim_func(private=True)
    def total(A: T.Buffer(("n",), "float32"), i: T.int32) -> T.float32:
        n = T.int32()
        acc = T.float32(0)
        for k in range(3):
            acc = acc + A[(i + k) % n]
        return acc

    @T.prim_func(private=True)
    def put(C: T.Buffer(("m", 32), "float32"), i: T.int32, j: T.int32, value: T.float32):
        m = T.int32()
        if i < m:
            C[i, j] = value

    @T.prim_func
    def twice(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        for i in T.thread_binding((n + 31) // 32, thread="blockIdx.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                if i * 32 + t < n:
                    B[i * 32 + t] = A[i * 32 + t] * T.float32(2)

    @T.prim_func
    def scale(B: T.Buffer((64,), "float32"), by: T.int32):
        for t in T.thread_binding(64, thread="threadIdx.x"):
            B[t] = B[t] * T.Cast("float32", by)


def whole(A, B, C):
    a, i = A.astype(np.float64), np.arange(64)
    x = np.clip(2 * a, -0.5, 0.5)
    ahead = np.where(i < 60, np.roll(a, -4) ** 2, 7)
    out = 2 * (ahead + x + a[i] + a[(i + 1) % 64] + a[(i + 2) % 64])
    return {"B": out, "C": np.where(i > 3, a ** 2, a).reshape(2, 32)}


functions = {"main": whole, "twice": lambda A: {"B": A.astype(np.float64) * 2}, "scale": lambda B, by: {"B": B.astype(np.float64) * by}}
args = {"by": 3}
inputs = {name: lambda rng: rng.uniform(-1, 1, 64).astype("float32") for name in "AB"}
inputs["C"] = lambda rng: rng.uniform(-1, 1, (2, 32)).astype("float32")
