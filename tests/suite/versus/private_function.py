# A private function is compiled and run like another.
from tvm.script import tirx as T


@T.prim_func(private=True)
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        B[t] = A[t] * T.float32(3)


def reference(A):
    return {"B": A.astype(np.float64) * 3}
