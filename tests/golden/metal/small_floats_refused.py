# What the smallest float types cannot do: arithmetic on scales, stores of half a byte, vectors of several elements.
from tvm.script import tirx as T


@T.prim_func
def main(E: T.Buffer((32,), "float8_e8m0fnu"), P: T.Buffer((32,), "float4_e2m1fnx2"), F: T.Buffer((64,), "float4_e2m1fn"), A: T.Buffer((32,), "float32")):
    for t in T.thread_binding(8, thread="threadIdx.x"):
        E[t] = T.Cast("float8_e8m0fnu", A[t])
        E[t] = E[t] * E[t + 1]
        A[t] = T.Cast("float32", F[t])
        F[t] = T.Cast("float4_e2m1fn", A[t])
        F[t * 2 + 1:t * 2 + 3] = F[t * 2:t * 2 + 2]
        T.evaluate(T.address_of(F[t]))
