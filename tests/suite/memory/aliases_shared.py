# Views at byte offsets into one block of threadgroup memory, of another type and under unlike names.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((32,), "float16"), B: T.Buffer((32,), "float16")):
    for t in T.thread_binding(16, thread="threadIdx.x"):
        block = T.alloc_buffer((40,), "float16", scope="shared")
        As = T.decl_buffer((18,), "float16", data=T.handle_add_byte_offset(block.data, 4), scope="shared")
        x = T.decl_buffer((16,), "float16", data=T.handle_add_byte_offset(block.data, 40), scope="shared")
        As[t] = A[t]
        x[t] = A[t + 16]
        T.tvm_storage_sync("shared")
        for l in T.vectorized(2):
            B[t * 2 + l] = block[t + 2 + l * 18]


tolerance = 0


def reference(A):
    B = np.zeros_like(A)
    block = np.zeros(40, "float16")
    block[2:18] = A[:16]
    block[20:36] = A[16:]
    for t in range(16):
        B[t * 2], B[t * 2 + 1] = block[t + 2], block[t + 20]
    return {"B": B}
