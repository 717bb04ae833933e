# The smallest value of each row and where it is, over 32 threads and 4 steps of each.
from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((6, 128), "float32"), N: T.Buffer((6,), "int32"), B: T.Buffer((6,), "float32")):
    for i in T.thread_binding(6, thread="blockIdx.x"):
        for r in T.serial(4):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.block("argmin"):
                    vi = T.axis.spatial(6, i)
                    vk = T.axis.reduce(128, r * 32 + t)
                    T.reads(A[vi, vk])
                    T.writes(N[vi], B[vi])
                    with T.init():
                        N[vi] = -1
                        B[vi] = T.max_value("float32")
                    n: T.int32 = T.Select(B[vi] <= A[vi, vk], N[vi], vk)
                    b: T.float32 = T.Select(B[vi] <= A[vi, vk], B[vi], A[vi, vk])
                    N[vi] = n
                    B[vi] = b


inputs = {"A": lambda rng: rng.permutation(6 * 128).reshape(6, 128).astype("float32")}


def reference(A):
    return {"N": A.argmin(axis=1).astype("int32"), "B": A.min(axis=1).astype(np.float64)}
