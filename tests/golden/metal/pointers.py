# Pointers into threadgroup memory: ptr_byte_offset gives a typed one, handle_add_byte_offset an untyped one that is cast
# where it is used.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "float16"), B: T.Buffer((8,), "float16")):
        for tx in T.thread_binding(1, thread="threadIdx.x"):
            store = T.alloc_buffer((8,), "float16", scope="shared")
            typed = T.ptr_byte_offset(store.data, 4, "float16")
            third = T.decl_buffer((6,), "float16", data=typed, scope="shared")
            untyped = T.handle_add_byte_offset(store.data, 8)
            fifth = T.decl_buffer((4,), "float16", data=untyped, scope="shared")
            third[0] = A[2]
            fifth[0] = A[4]
            B[tx] = third[0] + fifth[0]
