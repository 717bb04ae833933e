# Rows of a table, chosen by indices of 64 bits and summed with weights; a negative index names no row.
from tvm.script import tirx as T


@T.prim_func
def main(W: T.Buffer((50, 24), "float32"), N: T.Buffer((6, 5), "int64"), Y: T.Buffer((6, 24), "float32")):
    for i in T.thread_binding(6, thread="blockIdx.x"):
        for j in T.thread_binding(24, thread="threadIdx.x"):
            Y[i, j] = T.float32(0)
            for k in range(5):
                if N[i, k] >= T.int64(0):
                    Y[i, j] = Y[i, j] + W[N[i, k], j]


inputs = {"W": lambda rng: rng.uniform(-1, 1, (50, 24)).astype("float32"), "N": lambda rng: rng.integers(-10, 50, (6, 5))}


def reference(W, N):
    return {"Y": np.array([sum((W[k].astype(np.float64) for k in row if k >= 0), np.zeros(24)) for row in N])}
