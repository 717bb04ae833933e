# A temporary on the device between two kernels, and a scalar of 16 bits.
@T.prim_func
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), h: T.float16):
    M = T.alloc_buffer((16,), "float32")
    for t in T.thread_binding(16, thread="threadIdx.x"):
        M[t] = A[t] * T.Cast("float32", h)
    for t in T.thread_binding(16, thread="threadIdx.x"):
        B[t] = M[15 - t]
