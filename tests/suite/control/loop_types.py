# Loops that count in every width: what is computed with their variables wraps at it.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((16,), "int32"), n8: T.int8, n16: T.uint16, n64: T.int64):
    for t in T.thread_binding(T.int64(16), thread="threadIdx.x"):
        s = T.alloc_buffer((1,), "int32", scope="local")
        s[0] = 0
        for i in T.serial(T.uint32(5)):
            s[0] = s[0] + T.Cast("int32", i)
        for i in T.serial(n8):
            s[0] = s[0] + T.Cast("int32", i * T.int8(2))
        for i in range(n8):
            s[0] = s[0] + i * T.int8(2)
        for i in T.unroll(T.uint8(3)):
            s[0] = s[0] + T.Cast("int32", i * T.uint8(100))
        for i in T.serial(-n8, n8):
            s[0] = s[0] + T.Cast("int32", i) % 3
        for i in T.serial(n8, step=40):
            s[0] = s[0] + T.Cast("int32", i)
        for i in T.serial(n16):
            s[0] = s[0] ^ T.Cast("int32", i)
        for i in T.serial(n64 - T.int64(3), n64):
            s[0] = s[0] + T.Cast("int32", i % T.int64(7))
        for i in range(t % T.int64(3), t % T.int64(5) + T.int64(2)):
            s[0] = s[0] * 3 + T.Cast("int32", i)
        A[t] = s[0]


args = {"n8": 100, "n16": 9, "n64": 40000000001}
outputs = {"A": ((16,), "int32")}


def reference(n8, n16, n64):
    rows = []
    for t in range(16):
        s = sum(range(5)) + sum((i * 2 + 128) % 256 - 128 for i in range(n8)) + sum(i * 2 for i in range(n8))
        s += 0 + 100 + 200 + sum(range(0, n8, 40)) + sum(i % 3 for i in range(-n8, n8))
        for i in range(n16):
            s ^= i
        s += sum(i % 7 for i in range(n64 - 3, n64))
        for i in range(t % 3, t % 5 + 2):
            s = s * 3 + i
        rows.append(s)
    return {"A": np.array(rows, np.int32)}
