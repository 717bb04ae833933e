# A sort by exchanges of neighbours in shared memory: keys with the places that they came from.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((3, 32), "float32"), K: T.Buffer((3, 32), "float32"), P: T.Buffer((3, 32), "int32")):
    for g in T.thread_binding(3, thread="blockIdx.x"):
        S = T.alloc_buffer((32,), "float32", scope="shared")
        N = T.alloc_buffer((32,), "int32", scope="shared")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            S[t] = A[g, t]
            N[t] = t
            for r in range(32):
                if t % 2 == r % 2 and t < 31:
                    if S[t] > S[t + 1]:
                        x: T.let = S[t]
                        n: T.let = N[t]
                        S[t] = S[t + 1]
                        N[t] = N[t + 1]
                        S[t + 1] = x
                        N[t + 1] = n
            K[g, t] = S[t]
            P[g, t] = N[t]


inputs = {"A": lambda rng: rng.permutation(96).reshape(3, 32).astype("float32")}
tolerance = 0


def reference(A):
    return {"K": np.sort(A, axis=1), "P": np.argsort(A, axis=1).astype("int32")}
