# A matrix held by a group: no intrinsic of this kind.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "float32")):
    for t in T.thread_binding(32, thread="threadIdx.x"):
        T.cooperative_tensor_fill(A.data, 0, T.float32(0), 8, 8)
