# Half inputs, float accumulation, half output.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16, 32), "float16"), B: T.Buffer((32, 16), "float16"), C: T.Buffer((16, 16), "float16")):
        for i in T.thread_binding(16, thread="blockIdx.x"):
            for j in T.thread_binding(16, thread="threadIdx.x"):
                with T.sblock("C"):
                    T.reads(A[i, 0:32], B[0:32, j])
                    T.writes(C[i, j])
                    acc = T.sblock_alloc_buffer((1,), "float32", scope="local")
                    acc[0] = T.float32(0)
                    for k in range(32):
                        acc[0] += T.Cast("float32", A[i, k]) * T.Cast("float32", B[k, j])
                    C[i, j] = T.Cast("float16", acc[0])


inputs = {"A": lambda rng: rng.uniform(-1, 1, (16, 32)).astype("float16"),
          "B": lambda rng: rng.uniform(-1, 1, (32, 16)).astype("float16")}
tolerance = 1e-3


def reference(A, B):
    return {"C": (A.astype(np.float64) @ B.astype(np.float64)).astype("float16")}
