# A convolution of each channel by itself, with a hole between the taps.
from tvm.script import tirx as T


@T.prim_func
def main(X: T.Buffer((8, 20), "float32"), W: T.Buffer((8, 3), "float32"), Y: T.Buffer((8, 16), "float32")):
    for c in T.thread_binding(8, thread="blockIdx.x"):
        for p in T.thread_binding(16, thread="threadIdx.x"):
            Y[c, p] = X[c, p] * W[c, 0] + X[c, p + 2] * W[c, 1] + X[c, p + 4] * W[c, 2]


def reference(X, W):
    x = X.astype(np.float64)
    return {"Y": sum(x[:, 2 * k:2 * k + 16] * W[:, k:k + 1] for k in range(3))}
