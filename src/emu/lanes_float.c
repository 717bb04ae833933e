/* Lane handlers: float arithmetic, comparison and rounding. */
#include <math.h>

#include "emu/lanes.h"

#define F lane_f32
LANES_BINARY(add, F, F, F, a + b)
LANES_BINARY(sub, F, F, F, a - b)
LANES_BINARY(mul, F, F, F, a *b)
LANES_BINARY(div, F, F, F, a / b)
LANES_TERNARY(mad, F, F, F, F, a *b + e)
LANES_TERNARY(fused, F, F, F, F, __builtin_fmaf(a, b, e))
LANES_BINARY(min, F, F, F, a < b || b != b ? a : b)
LANES_BINARY(max, F, F, F, a > b || b != b ? a : b)
LANES_BINARY(eq, lane_u8, F, F, a == b)
LANES_BINARY(ne, lane_u8, F, F, a != b)
LANES_BINARY(lt, lane_u8, F, F, a < b)
LANES_BINARY(le, lane_u8, F, F, a <= b)
LANES_UNARY(root, F, F, __builtin_sqrtf(a))
LANES_UNARY(rsqrt, F, F, 1.0f / __builtin_sqrtf(a))

/* From 2^23 on a float has no fraction; below, it fits an int. Vectors on every instruction set, without its own
 * rounding instructions. */
static inline float truncated(float x)
{
    const float m = lane_float(lane_bits(x) & 0x7fffffffu);
    const float t = (float)(int32_t)(m < 8388608.0f ? m : 0.0f);
    const float r = lane_float(lane_bits(t) | (lane_bits(x) & 0x80000000u));
    return m < 8388608.0f ? r : x;
}
static inline float below(float x)
{
    const float t = truncated(x);
    return t > x ? t - 1.0f : t;
}
static inline float above(float x)
{
    const float t = truncated(x);
    return t < x ? t + 1.0f : t;
}
/* -0.3 goes up to -0, not 0. */
static inline float above_signed(float x)
{
    return lane_float(lane_bits(above(x)) | (lane_bits(x) & 0x80000000u));
}
static inline float rounded(float x)
{
    const float t = truncated(x);
    const float d = lane_float(lane_bits(x - t) & 0x7fffffffu);
    const float one = lane_float(0x3f800000u | (lane_bits(x) & 0x80000000u));
    return d >= 0.5f ? t + one : t;
}
/* Adding 2^23 leaves no room for a fraction: the addition rounds, halves to even. */
static inline float nearest(float x)
{
    const float m = lane_float(lane_bits(x) & 0x7fffffffu);
    const float t = (m + 8388608.0f) - 8388608.0f;
    const float r = lane_float(lane_bits(t) | (lane_bits(x) & 0x80000000u));
    return m < 8388608.0f ? r : x;
}
LANES_UNARY(cut, F, F, truncated(a))
LANES_UNARY(down, F, F, below(a))
LANES_UNARY(up, F, F, above_signed(a))
LANES_UNARY(away, F, F, rounded(a))
LANES_UNARY(even, F, F, nearest(a))

static const emu_handler table[EMU_OPS] = {
    [EMU_ADD] = add,    [EMU_SUB] = sub,      [EMU_MUL] = mul, [EMU_DIV] = div,   [EMU_MAD] = mad,    [EMU_FMA] = fused,
    [EMU_MIN] = min,    [EMU_MAX] = max,      [EMU_EQ] = eq,   [EMU_NE] = ne,     [EMU_LT] = lt,      [EMU_LE] = le,
    [EMU_SQRT] = root,  [EMU_RSQRT] = rsqrt,  [EMU_TRUNC] = cut, [EMU_FLOOR] = down, [EMU_CEIL] = up,
    [EMU_ROUND] = away, [EMU_RINT] = even,
};

/* Float (f32) arithmetic. */
emu_handler LANES_NAME(lanes_float)(emu_op op, emu_type type)
{
    return type == EMU_F32 ? table[op] : NULL;
}
