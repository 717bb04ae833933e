# A scalar of every type in one kernel, widest last and first: each arrives.
from tvm.script import tirx as T


@T.prim_func
def main(B: T.Buffer((22,), "float32"), a: T.bool, b: T.int8, c: T.uint8, d: T.int16, e: T.uint16, f: T.float16, g: T.int32,
         h: T.uint32, i: T.float32, j: T.int64, k: T.uint64, z_a: T.uint64, y_b: T.int64, x_c: T.float32, w_d: T.uint32, v_e: T.int32,
         u_f: T.float16, t_g: T.uint16, s_h: T.int16, r_i: T.uint8, q_j: T.int8, p_k: T.bool):
    for t in T.thread_binding(1, thread="threadIdx.x"):
        B[0] = T.Cast("float32", a)
        B[1] = T.Cast("float32", b)
        B[2] = T.Cast("float32", c)
        B[3] = T.Cast("float32", d)
        B[4] = T.Cast("float32", e)
        B[5] = T.Cast("float32", f)
        B[6] = T.Cast("float32", g)
        B[7] = T.Cast("float32", h)
        B[8] = i
        B[9] = T.Cast("float32", j)
        B[10] = T.Cast("float32", k)
        B[11] = T.Cast("float32", z_a)
        B[12] = T.Cast("float32", y_b)
        B[13] = x_c
        B[14] = T.Cast("float32", w_d)
        B[15] = T.Cast("float32", v_e)
        B[16] = T.Cast("float32", u_f)
        B[17] = T.Cast("float32", t_g)
        B[18] = T.Cast("float32", s_h)
        B[19] = T.Cast("float32", r_i)
        B[20] = T.Cast("float32", q_j)
        B[21] = T.Cast("float32", p_k)


VALUES = [True, -7, 250, -30000, 60000, 1.5, -70000, 4000000000, 0.25, -(2**40), 2**41]
args = dict(zip("abcdefghijk", VALUES))
args.update(zip(["z_a", "y_b", "x_c", "w_d", "v_e", "u_f", "t_g", "s_h", "r_i", "q_j", "p_k"], VALUES[::-1]))
tolerance = 0


def reference(**values):
    return {"B": np.array([float(v) for v in VALUES + VALUES[::-1]], "float32")}
