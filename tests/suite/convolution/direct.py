# A direct convolution with zero padding by if_then_else: the untaken arm must not be read.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 8, 8), "float32"), W: T.Buffer((3, 2, 3, 3), "float32"),
             B: T.Buffer((3, 8, 8), "float32")):
        for o in T.thread_binding(3, thread="blockIdx.x"):
            for y in T.thread_binding(8, thread="threadIdx.y"):
                for x in T.thread_binding(8, thread="threadIdx.x"):
                    for c, dy, dx in T.grid(2, 3, 3):
                        with T.sblock("B"):
                            vo, vy, vx, vc, vdy, vdx = T.axis.remap("SSSRRR", [o, y, x, c, dy, dx])
                            with T.init():
                                B[vo, vy, vx] = T.float32(0)
                            B[vo, vy, vx] += T.if_then_else(
                                1 <= vy + vdy and vy + vdy < 9 and 1 <= vx + vdx and vx + vdx < 9,
                                A[vc, vy + vdy - 1, vx + vdx - 1], T.float32(0)) * W[vo, vc, vdy, vdx]


inputs = {"A": lambda rng: rng.uniform(-1, 1, (2, 8, 8)).astype("float32"),
          "W": lambda rng: rng.uniform(-1, 1, (3, 2, 3, 3)).astype("float32")}


def reference(A, W):
    padded = np.pad(A.astype(np.float64), ((0, 0), (1, 1), (1, 1)))
    B = np.zeros((3, 8, 8))
    for dy in range(3):
        for dx in range(3):
            B += np.einsum("oc,cyx->oyx", W[:, :, dy, dx].astype(np.float64), padded[:, dy:dy + 8, dx:dx + 8])
    return {"B": B}
