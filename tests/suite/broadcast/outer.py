# An outer product over a two-dimensional grid.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((40,), "float32"), B: T.Buffer((24,), "float32"), C: T.Buffer((40, 24), "float32")):
        for by in T.thread_binding(5, thread="blockIdx.y"):
            for bx in T.thread_binding(3, thread="blockIdx.x"):
                for ty in T.thread_binding(8, thread="threadIdx.y"):
                    for tx in T.thread_binding(8, thread="threadIdx.x"):
                        C[by * 8 + ty, bx * 8 + tx] = A[by * 8 + ty] * B[bx * 8 + tx]


inputs = {"A": lambda rng: rng.uniform(-1, 1, 40).astype("float32"),
          "B": lambda rng: rng.uniform(-1, 1, 24).astype("float32")}


def reference(A, B):
    return {"C": np.outer(A, B)}
