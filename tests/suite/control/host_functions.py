# Host code with more functions than its first room for instructions holds.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), x: T.float32):
    a: T.let = T.exp(x) + T.log(x) + T.sqrt(x) + T.floor(x) + T.ceil(x) + T.round(x) + T.trunc(x)
    b: T.let = T.sin(x) * T.cos(x) + T.tanh(x) + T.pow(x, x) + T.atan2(x, T.float32(2)) + T.fabs(-x)
    c: T.let = T.Select(T.round(x) < x, a - b, a + b)
    for t in T.thread_binding(8, thread="threadIdx.x"):
        B[t] = A[t] * c


args = {"x": 2.5}


def reference(A, x):
    a = np.exp(x) + np.log(x) + np.sqrt(x) + 2 + 3 + 2 + 2
    b = np.sin(x) * np.cos(x) + np.tanh(x) + x**x + np.arctan2(x, 2) + x
    return {"B": A * (a - b)}
