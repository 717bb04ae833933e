# A while loop whose length differs from thread to thread.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for tx in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("steps"):
                T.reads(A[tx])
                T.writes(B[tx])
                n = T.sblock_alloc_buffer((2,), "int32", scope="local")
                n[0] = A[tx]
                n[1] = 0
                while n[0] > 1:
                    if n[0] % 2 == 0:
                        n[0] = n[0] // 2
                    else:
                        n[0] = n[0] * 3 + 1
                    n[1] = n[1] + 1
                B[tx] = n[1]


inputs = {"A": lambda rng: np.arange(1, 65).astype("int32")}


def reference(A):
    def steps(n):
        count = 0
        while n > 1:
            n, count = (n // 2 if n % 2 == 0 else n * 3 + 1), count + 1
        return count
    return {"B": np.array([steps(int(n)) for n in A], "int32")}
