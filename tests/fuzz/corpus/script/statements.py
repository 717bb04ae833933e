from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer(("n", 4), "int32"), B: T.Buffer(("n",), "int64"), flag: T.bool):
    n = T.int32()
    bx = T.launch_thread("blockIdx.x", (n + 31) // 32)
    tx = T.launch_thread("threadIdx.x", 32)
    acc = T.alloc_buffer((1,), "int64", scope="local")
    acc[0] = T.int64(0)
    i: T.let = bx * 32 + tx
    if i < n and flag:
        for j in T.unroll(4):
            acc[0] += T.cast(A[i, j] << 2, "int64") ^ 0x1F
        while acc[0] > 100:
            acc[0] = T.truncdiv(acc[0], 2)
        B[i] = acc[0]
    else:
        pass
