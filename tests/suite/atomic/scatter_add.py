# Scatter-add as TOPI's kernels write it: the intrinsic by its name, on an access pointer and on an address; constants by Python's math.
import math
from math import log2

from tvm.script import tirx as T

scale = 1 / math.sqrt(16) * log2(2)


@T.prim_func
def main(dst: T.Buffer((16,), "float32"), cnt: T.Buffer((16,), "int32"), idx: T.Buffer((64,), "int64"), src: T.Buffer((64,), "float32")):
    with T.launch_thread("blockIdx.x", 2) as bx, T.launch_thread("threadIdx.x", 32) as tx:
        i: T.let = idx[bx * 32 + tx]
        T.evaluate(T.call_intrin("float32", "tirx.atomic_add", dst.access_ptr("rw", offset=i), src[bx * 32 + tx] * T.float32(scale * math.floor(1.5))))
        T.evaluate(T.call_intrin("int32", "tir.atomic_add", T.address_of(cnt[i]), T.int32(math.ceil(math.pi))))


def reference(dst, cnt, idx, src):
    dst, cnt = dst.copy(), cnt.copy()
    np.add.at(dst, idx, src * np.float32(0.25))
    np.add.at(cnt, idx, 4)
    return {"dst": dst, "cnt": cnt}


inputs = {"idx": lambda rng: rng.integers(0, 16, 64), "dst": lambda rng: rng.integers(-9, 9, 16).astype("float32"),
          "src": lambda rng: (4 * rng.integers(-99, 99, 64)).astype("float32")}
