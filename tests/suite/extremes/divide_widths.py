# Division of 8 and 16 bits at its ends, of every pair of signs, and divisors of 0 that are never reached.
from tvm.script import tirx as T


@T.prim_func
def main(int8_a: T.Buffer((64,), "int8"), int8_d: T.Buffer((64,), "int8"), int8_o: T.Buffer((5, 64), "int8"),
         int16_a: T.Buffer((64,), "int16"), int16_d: T.Buffer((64,), "int16"), int16_o: T.Buffer((5, 64), "int16"),
         int32_a: T.Buffer((64,), "int32"), int32_d: T.Buffer((64,), "int32"), int32_o: T.Buffer((5, 64), "int32")):
    for t in T.thread_binding(64, thread="threadIdx.x"):
        int8_o[4, t] = T.if_then_else(int8_d[t] != T.int8(0), int8_a[t] // int8_d[t], T.int8(0))
        if int8_d[t] != T.int8(0):
            int8_o[0, t] = int8_a[t] // int8_d[t]
            int8_o[1, t] = int8_a[t] % int8_d[t]
            int8_o[2, t] = T.truncdiv(int8_a[t], int8_d[t])
            int8_o[3, t] = T.truncmod(int8_a[t], int8_d[t])
        int16_o[4, t] = T.if_then_else(int16_d[t] != T.int16(0), int16_a[t] // int16_d[t], T.int16(0))
        if int16_d[t] != T.int16(0):
            int16_o[0, t] = int16_a[t] // int16_d[t]
            int16_o[1, t] = int16_a[t] % int16_d[t]
            int16_o[2, t] = T.truncdiv(int16_a[t], int16_d[t])
            int16_o[3, t] = T.truncmod(int16_a[t], int16_d[t])
        int32_o[4, t] = T.if_then_else(int32_d[t] != T.int32(0), int32_a[t] // int32_d[t], T.int32(0))
        if int32_d[t] != T.int32(0):
            int32_o[0, t] = int32_a[t] // int32_d[t]
            int32_o[1, t] = int32_a[t] % int32_d[t]
            int32_o[2, t] = T.truncdiv(int32_a[t], int32_d[t])
            int32_o[3, t] = T.truncmod(int32_a[t], int32_d[t])


TYPES = ("int8", "int16", "int32")
inputs = {}
for name in TYPES:
    low, high = np.iinfo(name).min, np.iinfo(name).max
    ends = [low, low + 1, -1, 0, 1, high, 7, -7]
    inputs[name + "_a"] = np.repeat(np.array(ends, name), 8)
    inputs[name + "_o"] = np.zeros((5, 64), name)
    inputs[name + "_d"] = np.tile(np.array(ends, name), 8)


def reference(**given):
    out = {}
    for name in TYPES:
        width, low = np.iinfo(name).bits, np.iinfo(name).min
        rows = given[name + "_o"].astype(object)
        for i, (a, d) in enumerate(zip(given[name + "_a"].tolist(), given[name + "_d"].tolist())):
            cut = 0 if d == 0 else abs(a) // abs(d) * (1 if (a < 0) == (d < 0) else -1)
            if d != 0:
                rows[:4, i] = [a // d, a % d, cut, a - d * cut]
            rows[4, i] = 0 if d == 0 else a // d
        out[name + "_o"] = np.array([[(v - low) % 2**width + low for v in row] for row in rows.tolist()], name)
    return out
