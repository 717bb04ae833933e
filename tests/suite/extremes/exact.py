# What is exact: the one float32 that is right, also for infinities, NaN and zeros.
from tvm.script import tirx as T


@T.prim_func
def main(X: T.Buffer((3072,), "float32"), Y: T.Buffer((3072,), "float32"), B: T.Buffer((16, 3072), "float32")):
    for b in T.thread_binding(12, thread="blockIdx.x"):
        for t in T.thread_binding(256, thread="threadIdx.x"):
            i: T.let = b * 256 + t
            x: T.let = X[i]
            y: T.let = Y[i]
            B[0, i] = T.sqrt(x)
            B[1, i] = T.floor(x)
            B[2, i] = T.ceil(x)
            B[3, i] = T.trunc(x)
            B[4, i] = T.round(x)
            B[5, i] = T.nearbyint(x)
            B[6, i] = T.fabs(x)
            B[7, i] = T.fmod(x, y)
            B[8, i] = T.copysign(x, y)
            B[9, i] = T.nextafter(x, y)
            B[10, i] = T.ldexp(x, T.Cast("int32", T.max(T.min(y, T.float32(100)), T.float32(-100))))
            B[11, i] = x / y
            B[12, i] = x * y
            B[13, i] = T.min(x, y)
            B[14, i] = T.max(x, y)
            B[15, i] = T.abs(x)


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
ulps = 0


def reference(X, Y, B):
    x, y = X.astype(np.float64), Y.astype(np.float64)
    with np.errstate(all="ignore"):
        return {"B": np.stack([
            np.sqrt(x),
            np.floor(x),
            np.ceil(x),
            np.trunc(x),
            np.rint(x),
            np.rint(x),
            np.abs(x),
            np.fmod(x, y),
            np.copysign(x, y),
            np.nextafter(X, Y),
            np.ldexp(x, np.trunc(np.clip(np.nan_to_num(y), -100, 100)).astype(int)),
            x / y,
            x * y,
            np.minimum(x, y),
            np.maximum(x, y),
            np.abs(x),
        ])}
overflows = "some"
