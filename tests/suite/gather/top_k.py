# The three greatest of each row, one after the other, with a mask of those taken.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((8, 20), "float32"), V: T.Buffer((8, 3), "float32"), N: T.Buffer((8, 3), "int32")):
    for i in T.thread_binding(8, thread="threadIdx.x"):
        taken = T.alloc_buffer((20,), "bool", scope="local")
        for k in range(20):
            taken[k] = False
        for r in range(3):
            best: T.int32 = -1
            for k in range(20):
                if not taken[k]:
                    if best < 0:
                        best = k
                    elif A[i, k] > A[i, best]:
                        best = k
            V[i, r] = A[i, best]
            N[i, r] = best
            taken[best] = True


inputs = {"A": lambda rng: rng.permutation(160).reshape(8, 20).astype("float32")}
tolerance = 0


def reference(A):
    n = np.argsort(-A, axis=1)[:, :3]
    return {"V": np.take_along_axis(A, n, axis=1), "N": n.astype("int32")}
