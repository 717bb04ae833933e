# What Metal has itself: within the 4 units in the last place that it promises of precise functions (the software device: 1).
from tvm.script import tirx as T


@T.prim_func
def main(X: T.Buffer((3072,), "float32"), Y: T.Buffer((3072,), "float32"), B: T.Buffer((20, 3072), "float32")):
    for b in T.thread_binding(12, thread="blockIdx.x"):
        for t in T.thread_binding(256, thread="threadIdx.x"):
            i: T.let = b * 256 + t
            x: T.let = X[i]
            y: T.let = Y[i]
            B[0, i] = T.exp(x)
            B[1, i] = T.exp2(x)
            B[2, i] = T.log(x)
            B[3, i] = T.log2(x)
            B[4, i] = T.log10(x)
            B[5, i] = T.sin(x)
            B[6, i] = T.cos(x)
            B[7, i] = T.sinh(x)
            B[8, i] = T.cosh(x)
            B[9, i] = T.asinh(x)
            B[10, i] = T.acosh(x)
            B[11, i] = T.atanh(x)
            B[12, i] = T.asin(x)
            B[13, i] = T.acos(x)
            B[14, i] = T.atan(x)
            B[15, i] = T.tan(x)
            B[16, i] = T.exp10(x)
            B[17, i] = T.rsqrt(x)
            B[18, i] = T.pow(x, y)
            B[19, i] = T.atan2(x, y)


EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 3.4028235e38, -3.4028235e38, 1.2e-38, -1.2e-38, 88.7, -87.3, 89, -104, 127.99, 128, 38.5,
         38.6, -37, 0.5, -0.5, 2, -2, 1e-30, -1e-30, 4, -4, 9.1, -9.1, 16777216, 8388607.5]


def points(rng):
    """All sizes, with the edges among them; first every pair of edges."""
    wide = rng.choice([-1, 1], 768) * 2.0 ** rng.uniform(-40, 40, 768)
    return np.concatenate([wide, rng.uniform(-10, 10, 512), rng.uniform(-100, 100, 512), rng.uniform(-1, 1, 256)])


def first(rng):
    return np.concatenate([np.repeat(EDGES, 32), points(rng)]).astype("float32")


def second(rng):
    return np.concatenate([np.tile(EDGES, 32), rng.permutation(points(rng))]).astype("float32")


inputs = {"X": first, "Y": second}
ulps = 4


def reference(X, Y, B):
    x, y = X.astype(np.float64), Y.astype(np.float64)
    with np.errstate(all="ignore"):
        return {"B": np.stack([
            np.exp(x),
            np.exp2(x),
            np.log(x),
            np.log2(x),
            np.log10(x),
            np.sin(x),
            np.cos(x),
            np.sinh(x),
            np.cosh(x),
            np.arcsinh(x),
            np.arccosh(x),
            np.arctanh(x),
            np.arcsin(x),
            np.arccos(x),
            np.arctan(x),
            np.tan(x),
            np.float_power(10, x),
            1 / np.sqrt(x),
            np.float_power(x, y),
            np.arctan2(x, y),
        ])}
overflows = "some"
