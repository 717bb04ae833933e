# A product of signed bytes summed in 32 bits, with a scale.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16, 64), "int8"), B: T.Buffer((16, 64), "int8"), C: T.Buffer((16, 16), "float32")):
        for i in T.thread_binding(16, thread="blockIdx.x"):
            for j in T.thread_binding(16, thread="threadIdx.x"):
                with T.sblock("C"):
                    T.reads(A[i, 0:64], B[j, 0:64])
                    T.writes(C[i, j])
                    acc = T.sblock_alloc_buffer((1,), "int32", scope="local")
                    acc[0] = 0
                    for k in range(64):
                        acc[0] += T.Cast("int32", A[i, k]) * T.Cast("int32", B[j, k])
                    C[i, j] = T.Cast("float32", acc[0]) * T.float32(0.0078125)


inputs = {name: lambda rng: rng.integers(-128, 128, (16, 64)).astype("int8") for name in "AB"}
tolerance = 0


def reference(A, B):
    return {"C": (A.astype(np.int64) @ B.astype(np.int64).T) * 0.0078125}
