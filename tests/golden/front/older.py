# The older spelling throughout.
import tvm
from tvm.script import tir as T


@tvm.script.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer[(64,), "float32"]) -> None:
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, [64], dtype="float32")
        bx = T.env_thread("blockIdx.x")
        tx = T.env_thread("threadIdx.x")
        T.launch_thread(bx, 2)
        T.launch_thread(tx, 32)
        S = T.allocate([32], "float32", "shared")
        S_1 = T.Buffer((32,), "float32", data=S, scope="shared")
        index = bx * 32 + tx
        S_1[tx] = A[index]
        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
        with T.LetStmt(S_1[31 - tx]) as mirrored:
            B[index] = mirrored
