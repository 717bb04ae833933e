# Fixed-point multiplication as quantised layers have it: shifts to both sides, halves up, one shift for each channel.
from tvm.script import tirx as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), L: T.Buffer((4,), "int32"), R: T.Buffer((4,), "int32"), M: T.Buffer((4,), "int32"),
         B: T.Buffer((5, 64), "int32"), V: T.Buffer((64,), "int32")):
    for i in T.thread_binding(64, thread="threadIdx.x"):
        B[0, i] = T.q_multiply_shift(A[i], T.int32(1395864371), T.int32(31), T.int32(-3))
        B[1, i] = T.q_multiply_shift(A[i], T.int32(1 << 30), T.int32(31), T.int32(2))
        B[2, i] = T.q_multiply_shift(A[i], T.int32(1 << 30), T.int32(31), T.int32(0))
        B[3, i] = T.q_multiply_shift(A[i], M[i % 4], T.int32(31), R[i % 4])
        B[4, i] = T.q_multiply_shift_per_axis(A[i], M[i % 4], L[i % 4], R[i % 4] * 0 + 2, 31, True, True)
        if i % 4 == 0:
            V[i:i + 4] = T.q_multiply_shift(A[i:i + 4], T.broadcast(T.int32(1073741825), 4), T.broadcast(T.int32(31), 4), T.broadcast(T.int32(-1), 4))


inputs = {"A": lambda rng: np.concatenate([rng.integers(-(1 << 20), 1 << 20, 56), [0, 1, -1, 2, -2, 3, -3, -(1 << 28)]]).astype(np.int32),
          "L": np.array([0, 1, 2, 3], np.int32), "R": np.array([-2, 0, 1, -7], np.int32),
          "M": np.array([1 << 30, 1518500250, 2147483647, 5], np.int32)}
outputs = {"B": ((5, 64), "int32"), "V": ((64,), "int32")}


def reference(A, L, R, M):
    def scaled(x, y, left, right):
        value = ((int(x) << int(left)) * int(y) + (1 << (int(right) - 1))) >> int(right)
        return (value + (1 << 31)) % (1 << 32) - (1 << 31)

    def shifted(x, y, s):
        return scaled(x, y, max(int(s), 0), 31 + max(-int(s), 0))

    rows = [[shifted(a, 1395864371, -3) for a in A], [shifted(a, 1 << 30, 2) for a in A], [shifted(a, 1 << 30, 0) for a in A],
            [shifted(a, M[i % 4], R[i % 4]) for i, a in enumerate(A)],
            [scaled(a, M[i % 4], L[i % 4], 33) for i, a in enumerate(A)]]
    return {"B": np.array(rows, np.int32), "V": np.array([shifted(a, 1073741825, -1) for a in A], np.int32)}
