# Atomic operations as tile languages print them: through access pointers, with the order's number.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((256,), "int32"), H: T.Buffer((16,), "int32"), M: T.Buffer((2,), "int32"), F: T.Buffer((1,), "float32"),
         P: T.Buffer((256,), "int32")):
    for b in T.thread_binding(4, thread="blockIdx.x"):
        for t in T.thread_binding(64, thread="threadIdx.x"):
            T.atomic_add_elem_op(T.tvm_access_ptr(T.type_annotation("int32"), H.data, A[b * 64 + t], 1, 3), 1)
            T.atomic_max_elem_op(T.tvm_access_ptr(T.type_annotation("int32"), M.data, 0, 1, 3), A[b * 64 + t] * 7, 0)
            T.atomic_min_elem_op(T.address_of(M[1]), A[b * 64 + t] - 3)
            T.atomic_add_elem_op(T.address_of(F[0]), T.Cast("float32", A[b * 64 + t]))
            before: T.let = T.atomic_add_ret_elem_op(T.address_of(P[b * 64 + t]), t)
            T.atomic_store_elem_op(T.address_of(P[b * 64 + t]), T.atomic_load_elem_op(T.address_of(P[b * 64 + t])) + before)


inputs = {"A": lambda rng: rng.integers(0, 16, 256).astype(np.int32), "H": np.zeros(16, np.int32), "M": np.array([-100, 100], np.int32),
          "F": np.zeros(1, np.float32), "P": np.arange(256, dtype=np.int32)}
target = "apple/m1-gpu"


def reference(A, H, M, F, P):
    return {"H": H + np.bincount(A, minlength=16), "M": np.array([A.max() * 7, A.min() - 3]), "F": F + A.sum(),
            "P": 2 * P + np.arange(256) % 64}
