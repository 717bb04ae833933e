# Python's math is on numbers that are known while the script is read.
import math
from math import erf

from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        A[t] = math.sqrt(A[t])
        A[t] = T.float32(math.sqrt(-1))
        A[t] = T.float32(math.floor(math.inf))
        A[t] = T.float32(math.gamma(2))
        A[t] = T.float32(erf(2))
        A[t] = T.float32(math.sqrt(1, 2))
        A[t] = T.float32(math.log(0))
