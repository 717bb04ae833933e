# Views that have no meaning.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((4, 6), "float32"), B: T.Buffer((8,), "float32", strides=(2,)), C: T.Buffer((3, 1), "uint8")):
    a = A.view(5, 5)
    b = A.view(-1, 5)
    c = A.view(-1, -1)
    d = B.view(8)
    e = C.view()
    f = C.view("float32x3")
    g = C.view("uint16")
