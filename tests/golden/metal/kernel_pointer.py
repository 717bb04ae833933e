# A function that is written out as a kernel may touch device memory: a pointer parameter, and a view into it.
from tvm.script import ir as I
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def kernel(A_ptr: T.handle("float32", "global")):
    T.func_attr({"calling_conv": 2, "global_symbol": "kernel", "tirx.kernel_launch_params": [], "tirx.noalias": True})
    A = T.decl_buffer((8,), "float32", data=A_ptr)
    B = T.decl_buffer((4,), "float32", data=T.address_of(A[4]))
    B[0] = T.float32(1)
