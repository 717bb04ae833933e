from tvm.script import ir as I
from tvm.script import tirx as T
@I.ir_module
class M:
    @T.prim_func
    def main(A: T.Buffer(("n",), "int32"), F: T.Buffer((64,), "float32"), P: T.Buffer((8,), "float4_e2m1fnx2")):
        n = T.int32()
        for t in T.thread_binding(32, thread="threadIdx.x"):
            S = T.alloc_buffer((n,), "uint32", scope="shared.dyn")
            R = T.alloc_buffer((n + 1,), "int8", scope="shared.dyn")
            if t >= n:
                T.thread_return()
            assert A[t] >= 0, ("ValueError", ["bad ", "index"])
            old: T.let = T.atomic_add(A[t], T.atomic_cas(A[0], 1, 2))
            T.atomic_max(F[t], T.float32(1))
            F[t] = M.sq(F[t]) if t > 3 else T.float32(0)
            M.put(A, t, value=old)
            F.vstore([t], F.vload([0], "float32x4", predicate=T.get_active_lane_mask("boolx4", t, n)), predicate=t < 3)
            A[t] = T.Cast("int32", T.any_sync(T.uint32(4294967295), A[t] > 0))
            F[t] = T.Cast("float32", T.Shuffle([P[t % 8]], [1]))
    @T.prim_func(private=True)
    def sq(x: T.float32) -> T.float32:
        return x * x
    @T.prim_func(private=True)
    def put(a: T.handle, i: T.int32, value: T.int32):
        m = T.int32()
        β = T.match_buffer(a, (m,), "int32")
        if i < m:
            β[i] = value
