# A kernel written as such: names of its memory stand before the axes of its threads.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def copy_kernel(A_ptr: T.handle("float32", "global"), B_ptr: T.handle("float32", "global")):
        T.func_attr({"calling_conv": 2, "tirx.kernel_launch_params": ["blockIdx.x", "threadIdx.x"]})
        A = T.decl_buffer((64,), data=A_ptr)
        B = T.decl_buffer((64,), data=B_ptr)
        with T.launch_thread("blockIdx.x", 2) as bx:
            with T.launch_thread("threadIdx.x", 32) as tx:
                B[bx * 32 + tx] = A[bx * 32 + tx]
