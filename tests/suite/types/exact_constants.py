# Constants of nine digits, the largest and the smallest floats, and the two zeros.
from tvm.script import tirx as T


@T.prim_func
def main(B: T.Buffer((10,), "float32")):
    for t in T.thread_binding(1, thread="threadIdx.x"):
        B[0] = T.float32(16777217.0)
        B[1] = T.float32(3.4028234663852886e38)
        B[2] = T.float32(1.17549435e-38)
        B[3] = T.float32(1e-45)
        B[4] = T.float32(0.1)
        B[5] = T.float32(-0.0)
        B[6] = T.float32("inf")
        B[7] = T.float32("-inf")
        B[8] = T.float32("nan")
        B[9] = T.float32(16777215.0)


tolerance = 0


def reference():
    f = np.finfo("float32")
    return {"B": np.array([16777216, f.max, f.tiny, 1e-45, 0.1, -0.0, np.inf, -np.inf, np.nan, 16777215], "float32")}
