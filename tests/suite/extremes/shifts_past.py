# Shifts of every integer type by its width, by more, and (signed) by less than nothing: left gives 0, right 0 or -1 by the sign.
from tvm.script import tirx as T


@T.prim_func
def main(int8_a: T.Buffer((16,), "int8"), int8_n: T.Buffer((16,), "int8"), int8_o: T.Buffer((2, 16), "int8"),
         int16_a: T.Buffer((16,), "int16"), int16_n: T.Buffer((16,), "int16"), int16_o: T.Buffer((2, 16), "int16"),
         int32_a: T.Buffer((16,), "int32"), int32_n: T.Buffer((16,), "int32"), int32_o: T.Buffer((2, 16), "int32"),
         int64_a: T.Buffer((16,), "int64"), int64_n: T.Buffer((16,), "int64"), int64_o: T.Buffer((2, 16), "int64"),
         uint8_a: T.Buffer((16,), "uint8"), uint8_n: T.Buffer((16,), "uint8"), uint8_o: T.Buffer((2, 16), "uint8"),
         uint16_a: T.Buffer((16,), "uint16"), uint16_n: T.Buffer((16,), "uint16"), uint16_o: T.Buffer((2, 16), "uint16"),
         uint32_a: T.Buffer((16,), "uint32"), uint32_n: T.Buffer((16,), "uint32"), uint32_o: T.Buffer((2, 16), "uint32"),
         uint64_a: T.Buffer((16,), "uint64"), uint64_n: T.Buffer((16,), "uint64"), uint64_o: T.Buffer((2, 16), "uint64")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        int8_o[0, t] = int8_a[t] << int8_n[t]
        int8_o[1, t] = int8_a[t] >> int8_n[t]
        int16_o[0, t] = int16_a[t] << int16_n[t]
        int16_o[1, t] = int16_a[t] >> int16_n[t]
        int32_o[0, t] = int32_a[t] << int32_n[t]
        int32_o[1, t] = int32_a[t] >> int32_n[t]
        int64_o[0, t] = int64_a[t] << int64_n[t]
        int64_o[1, t] = int64_a[t] >> int64_n[t]
        uint8_o[0, t] = uint8_a[t] << uint8_n[t]
        uint8_o[1, t] = uint8_a[t] >> uint8_n[t]
        uint16_o[0, t] = uint16_a[t] << uint16_n[t]
        uint16_o[1, t] = uint16_a[t] >> uint16_n[t]
        uint32_o[0, t] = uint32_a[t] << uint32_n[t]
        uint32_o[1, t] = uint32_a[t] >> uint32_n[t]
        uint64_o[0, t] = uint64_a[t] << uint64_n[t]
        uint64_o[1, t] = uint64_a[t] >> uint64_n[t]


TYPES = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
inputs = {}
for name in TYPES:
    ends = np.iinfo(name)
    width = ends.bits
    inputs[name + "_a"] = np.resize(np.array([ends.max, ends.min, 1, ends.max // 3, ends.min // 3], dtype=name), 16)
    counts = [0, 1, width - 1, width, width + 1, 100, 127, 2] + ([-1, -width] if ends.min < 0 else [ends.max, ends.max - 1])
    inputs[name + "_n"] = np.resize(np.array(counts, dtype=name), 16)


def reference(**given):
    out = {}
    for name in TYPES:
        width, low = np.iinfo(name).bits, np.iinfo(name).min
        left, right = [], []
        for a, n in zip(given[name + "_a"].tolist(), given[name + "_n"].tolist()):
            far = n < 0 or n >= width
            left.append(0 if far else ((a << n) - low) % 2**width + low)
            right.append((-1 if a < 0 else 0) if far else a >> n)
        out[name + "_o"] = np.array([left, right], name)
    return out
