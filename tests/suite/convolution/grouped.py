# A convolution in two groups of channels, with a stride of 2 and padding.
from tvm.script import tirx as T


@T.prim_func
def main(X: T.Buffer((2, 4, 9, 9), "float32"), W: T.Buffer((6, 2, 3, 3), "float32"), Y: T.Buffer((2, 6, 5, 5), "float32")):
    for n in T.thread_binding(2, thread="blockIdx.y"):
        for o in T.thread_binding(6, thread="blockIdx.x"):
            for h in T.thread_binding(5, thread="threadIdx.y"):
                for w in T.thread_binding(5, thread="threadIdx.x"):
                    Y[n, o, h, w] = T.float32(0)
                    for c, i, j in T.grid(2, 3, 3):
                        y: T.let = h * 2 + i - 1
                        x: T.let = w * 2 + j - 1
                        Y[n, o, h, w] = Y[n, o, h, w] + W[o, c, i, j] * T.if_then_else(
                            y >= 0 and y < 9 and x >= 0 and x < 9, X[n, o // 3 * 2 + c, y, x], T.float32(0)
                        )


def reference(X, W):
    x, out = np.pad(X.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1))), np.zeros((2, 6, 5, 5))
    for o in range(6):
        for h in range(5):
            for w in range(5):
                g = o // 3 * 2
                out[:, o, h, w] = (x[:, g:g + 2, h * 2:h * 2 + 3, w * 2:w * 2 + 3] * W[o]).sum(axis=(1, 2, 3))
    return {"Y": out}
