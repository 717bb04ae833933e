# A transposed convolution with a stride of 2: each output gathers the inputs that reach it.
from tvm.script import tirx as T


@T.prim_func
def main(X: T.Buffer((3, 5), "float32"), W: T.Buffer((3, 2, 4), "float32"), Y: T.Buffer((2, 12), "float32")):
    for o in T.thread_binding(2, thread="blockIdx.x"):
        for p in T.thread_binding(12, thread="threadIdx.x"):
            acc: T.float32 = T.float32(0)
            for c, k in T.grid(3, 4):
                if (p - k) % 2 == 0 and (p - k) // 2 >= 0 and (p - k) // 2 < 5:
                    acc = acc + X[c, (p - k) // 2] * W[c, o, k]
            Y[o, p] = acc


def reference(X, W):
    out = np.zeros((2, 12))
    for c in range(3):
        for o in range(2):
            for i in range(5):
                out[o, 2 * i:2 * i + 4] += float(X[c, i]) * W[c, o].astype(np.float64)
    return {"Y": out}
