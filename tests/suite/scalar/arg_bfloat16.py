# A scalar of bfloat16, as an argument of the call and as a value of the host.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32"), b: T.bfloat16, B: T.Buffer((3, 32), "float32")):
    half: T.let = b * T.bfloat16(0.5)
    for t in T.thread_binding(32, thread="threadIdx.x"):
        B[0, t] = A[t] * T.Cast("float32", b)
        B[1, t] = A[t] + T.Cast("float32", half)
        B[2, t] = A[t] + T.Cast("float32", b * b)


def reference(A, B, b):
    # 1.7 as bfloat16 is 1.703125, whose square 2.900634765625 lies between 2.890625 and 2.90625, nearer to the latter.
    return {"B": np.stack([A * np.float32(1.703125), A + np.float32(0.8515625), A + np.float32(2.90625)])}


tolerance = 0
args = {"b": 1.7}
