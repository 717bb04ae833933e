# Arithmetic of int64 wraps at its width between operations.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((256,), "int64"), B: T.Buffer((256,), "int64"), C: T.Buffer((256,), "int64")):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            C[tx] = T.max((A[tx] + A[tx]) * B[tx] - B[tx], T.cast(0, "int64"))


inputs = {
    name: lambda rng: rng.integers(np.iinfo("int64").min, np.iinfo("int64").max, 256, dtype="int64", endpoint=True)
    for name in "AB"
}


def reference(A, B):
    with np.errstate(over="ignore"):
        return {"C": np.maximum((A + A) * B - B, np.zeros_like(A))}
