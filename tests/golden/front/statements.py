# Statements of all kinds within one kernel.
from tvm.script import ir as I
from tvm.script import tirx as T

n = 64
half = n // 2
sizes = [4 * k for k in range(1, 4)]


@T.inline
def scale(buffer, i, by=2.0):
    buffer[i] = buffer[i] * by


@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer((n, sizes[0]), "int32"), k: T.int32):
        T.func_attr({"tirx.noalias": True})
        bx = T.launch_thread("blockIdx.x", 2)
        with T.launch_thread("threadIdx.x", half) as tx:
            i: T.let = bx * half + tx
            total = A[i] * 0.5
            for j in range(1, sizes[0]):
                total += j
                if total > 10.0 and j != k:
                    break
            count: T.int32 = 0
            while count < k:
                count += 1
                if count % 3 == 0:
                    continue
                B[i, count % 4] = count
            for p, q in T.grid(2, 2):
                B[i, p * 2 + q] += p - q
            for j in T.unroll(0, 4, step=2):
                B[i, j] = -B[i, j] // 2
            A[i] = total if k > 0 else T.max(total, 1)
            scale(A, i)
            scale(A, i, by=3.0)
