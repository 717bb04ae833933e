# break and continue in a loop.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((32, 16), "int32"), B: T.Buffer((32,), "int32")):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("sum"):
                T.reads(A[tx, 0:16])
                T.writes(B[tx])
                s = T.sblock_alloc_buffer((1,), "int32", scope="local")
                s[0] = 0
                for k in range(16):
                    if A[tx, k] < -15:
                        break
                    if A[tx, k] < 0:
                        continue
                    s[0] = s[0] + A[tx, k]
                B[tx] = s[0]


inputs = {"A": lambda rng: rng.integers(-20, 20, (32, 16)).astype("int32")}


def reference(A):
    def total(row):
        s = 0
        for v in row:
            if v < -15:
                break
            s += max(int(v), 0)
        return s
    return {"B": np.array([total(r) for r in A], "int32")}
