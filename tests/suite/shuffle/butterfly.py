# A sum that every lane ends with: five exchanges with the lane that differs in one bit.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for g in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            s = A[g * 32 + t]
            for k in T.unroll(5):
                s = s + T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), s, 1 << k, 32, 32)
            B[g * 32 + t] = s


inputs = {"A": lambda rng: rng.uniform(-1, 1, 64).astype("float32")}


def reference(A):
    return {"B": np.repeat(A.astype(np.float64).reshape(2, 32).sum(axis=1), 32)}
