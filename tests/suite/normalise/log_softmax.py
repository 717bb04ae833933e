# The logarithm of softmax, with a row across 32 threads.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((6, 96), "float32"), B: T.Buffer((6, 96), "float32")):
    for i in T.thread_binding(6, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            m: T.float32 = T.max(A[i, t], T.max(A[i, t + 32], A[i, t + 64]))
            for k in T.unroll(5):
                m = T.max(m, T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), m, 1 << k, 32, 32))
            s: T.float32 = T.exp(A[i, t] - m) + T.exp(A[i, t + 32] - m) + T.exp(A[i, t + 64] - m)
            for k in T.unroll(5):
                s = s + T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), s, 1 << k, 32, 32)
            for k in range(3):
                B[i, k * 32 + t] = A[i, k * 32 + t] - m - T.log(s)


def reference(A):
    x = A.astype(np.float64)
    return {"B": x - np.log(np.exp(x).sum(axis=1, keepdims=True))}
