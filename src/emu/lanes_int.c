/* Lane handlers: integer arithmetic and comparison. */
#include "emu/lanes.h"

/* All arithmetic is done unsigned, in at least 32 bits, so that nothing in it is undefined. */
#define WIDTH_OPS(S, T, U)                                                                                             \
    LANES_UNARY(mov_##S, T, T, a)                                                                                      \
    LANES_BINARY(add_##S, T, T, T, (U)a + (U)b)                                                                        \
    LANES_BINARY(sub_##S, T, T, T, (U)a - (U)b)                                                                        \
    LANES_BINARY(mul_##S, T, T, T, (U)a * (U)b)                                                                        \
    LANES_TERNARY(mad_##S, T, T, T, T, (U)a *(U)b + (U)e)                                                              \
    LANES_BINARY(eq_##S, lane_u8, T, T, a == b)                                                                        \
    LANES_BINARY(ne_##S, lane_u8, T, T, a != b)

WIDTH_OPS(u8, lane_u8, uint32_t)
WIDTH_OPS(u16, lane_u16, uint32_t)
WIDTH_OPS(u32, lane_u32, uint32_t)
WIDTH_OPS(u64, lane_u64, uint64_t)

#define ORDER_OPS(S, T)                                                                                                \
    LANES_BINARY(min_##S, T, T, T, a < b ? a : b)                                                                      \
    LANES_BINARY(max_##S, T, T, T, a > b ? a : b)                                                                      \
    LANES_BINARY(lt_##S, lane_u8, T, T, a < b)                                                                         \
    LANES_BINARY(le_##S, lane_u8, T, T, a <= b)

ORDER_OPS(i8, lane_i8)
ORDER_OPS(u8, lane_u8)
ORDER_OPS(i16, lane_i16)
ORDER_OPS(u16, lane_u16)
ORDER_OPS(i32, lane_i32)
ORDER_OPS(u32, lane_u32)
ORDER_OPS(i64, lane_i64)
ORDER_OPS(u64, lane_u64)

/* The upper half of a product: by way of the double width, for 64 bits by quarters. */
LANES_BINARY(mulhi_i8, lane_i8, lane_i8, lane_i8, ((int32_t)a * b) >> 8)
LANES_BINARY(mulhi_u8, lane_u8, lane_u8, lane_u8, ((uint32_t)a * b) >> 8)
LANES_BINARY(mulhi_i16, lane_i16, lane_i16, lane_i16, ((int32_t)a * b) >> 16)
LANES_BINARY(mulhi_u16, lane_u16, lane_u16, lane_u16, ((uint32_t)a * b) >> 16)
LANES_BINARY(mulhi_i32, lane_i32, lane_i32, lane_i32, ((int64_t)a * b) >> 32)
LANES_BINARY(mulhi_u32, lane_u32, lane_u32, lane_u32, ((uint64_t)a * b) >> 32)

static inline uint64_t mulhi64(uint64_t a, uint64_t b)
{
    const uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    const uint64_t low = al * bl, m1 = ah * bl + (low >> 32), m2 = al * bh + (m1 & 0xffffffffu);
    return ah * bh + (m1 >> 32) + (m2 >> 32);
}
LANES_BINARY(mulhi_u64, lane_u64, lane_u64, lane_u64, mulhi64(a, b))
LANES_BINARY(mulhi_i64, lane_u64, lane_u64, lane_u64, mulhi64(a, b) - ((a >> 63) != 0 ? b : 0) - ((b >> 63) != 0 ? a : 0))

/* Division never traps: see emu.h for what it gives. Lanes one by one, a uniform result once. */
#define DIVISION(name, T, EXPR)                                                                                        \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        for (; c < end; ++c) {                                                                                         \
            T *d = LANES_ALIGNED(frame + i->d + c * sizeof(T) * EMU_CHUNK, T);                                         \
            const T *qa = LANES_ALIGNED(frame + i->a + c * i->sa, T);                                                  \
            const T *qb = LANES_ALIGNED(frame + i->b + c * i->sb, T);                                                  \
            T last_a = 0, last_b = 0, r = 0;                                                                           \
            for (int j = 0; j < EMU_CHUNK; ++j) {                                                                      \
                const T a = qa[j], b = qb[j];                                                                          \
                if (j == 0 || a != last_a || b != last_b) r = (T)(EXPR);                                               \
                last_a = a;                                                                                            \
                last_b = b;                                                                                            \
                d[j] = r;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
#define DIV_UNSIGNED(S, T)                                                                                             \
    DIVISION(div_##S, T, b == 0 ? (T)-1 : (T)(a / b))                                                                  \
    DIVISION(rem_##S, T, b == 0 ? a : (T)(a % b))
#define DIV_SIGNED(S, T, U)                                                                                            \
    DIVISION(div_##S, T, b == 0 ? (T)-1 : b == -1 ? (T)(0 - (U)a) : (T)(a / b))                                        \
    DIVISION(rem_##S, T, b == 0 ? a : b == -1 ? (T)0 : (T)(a % b))

DIV_SIGNED(i8, lane_i8, uint32_t)
DIV_UNSIGNED(u8, lane_u8)
DIV_SIGNED(i16, lane_i16, uint32_t)
DIV_UNSIGNED(u16, lane_u16)
DIV_UNSIGNED(u32, lane_u32)
DIV_SIGNED(i64, lane_i64, uint64_t)
DIV_UNSIGNED(u64, lane_u64)

/* The quotient of 32-bit integers is exact when a double division is cut off: the quotient of two such numbers lies at
 * least 2^-32 below the next integer, and the division errs by less. Doubles are vectors where divisions are not. */
static inline int32_t quotient32(int32_t a, int32_t b)
{
    const int32_t safe = (uint32_t)b + 1 <= 1 ? 1 : b; /* neither 0 nor -1 */
    const int32_t q = (int32_t)((double)a / (double)safe);
    return b == 0 ? -1 : b == -1 ? (int32_t)(0u - (uint32_t)a) : q;
}
static inline int32_t remainder32(int32_t a, int32_t b)
{
    const int32_t r = (int32_t)((uint32_t)a - (uint32_t)b * (uint32_t)quotient32(a, b));
    return b == 0 ? a : r;
}
LANES_BINARY(div_i32, lane_i32, lane_i32, lane_i32, quotient32(a, b))
LANES_BINARY(rem_i32, lane_i32, lane_i32, lane_i32, remainder32(a, b))

#define ROW_WIDTH(OP, f) [EMU_##OP] = {f##_u8, f##_u16, f##_u32, f##_u64}
#define ROW_INT(OP, f) [EMU_##OP] = {f##_i8, f##_u8, f##_i16, f##_u16, f##_i32, f##_u32, f##_i64, f##_u64}

static const emu_handler by_width[EMU_OPS][4] = {
    ROW_WIDTH(MOV, mov), ROW_WIDTH(ADD, add), ROW_WIDTH(SUB, sub), ROW_WIDTH(MUL, mul),
    ROW_WIDTH(MAD, mad), ROW_WIDTH(EQ, eq),   ROW_WIDTH(NE, ne),
};
static const emu_handler by_type[EMU_OPS][8] = {
    ROW_INT(DIV, div), ROW_INT(REM, rem), ROW_INT(MIN, min),     ROW_INT(MAX, max),
    ROW_INT(LT, lt),   ROW_INT(LE, le),   ROW_INT(MULHI, mulhi),
};

/* Integer arithmetic, comparisons and moves. MOV of any type. */
emu_handler LANES_NAME(lanes_int)(emu_op op, emu_type type)
{
    const bool is_float = type >= EMU_F16;
    if (is_float && op != EMU_MOV) return NULL;
    const unsigned size = emu_type_size(type);
    const emu_handler h = by_width[op][size == 8 ? 3 : size / 2];
    if (h != NULL) return h;
    if (type == EMU_BOOL) return by_type[op][1];
    return is_float ? NULL : by_type[op][type - EMU_I8];
}
