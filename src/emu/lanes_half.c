/* Lane handlers: half and bfloat arithmetic. Each operation is done in float and rounded once more, which for +, -, *, /
 * gives the correctly rounded result. */
#include "emu/lanes_half.h"

#include "base/num.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

/* a * b + c of halves or bfloats, rounded once: the double sum is made odd where it is inexact, so that the last
 * rounding sees which side of a tie it is on. */
static double odd_sum(double p, double c)
{
    const double s = p + c, back = s - p;
    const double error = (p - (s - back)) + (c - back);
    uint64_t bits = num_double_bits(s);
    if (!(error != 0) || s == 0 || (bits & 1) != 0 || (bits >> 52 & 0x7ff) == 0x7ff) return s;
    bits = (error > 0) == (s > 0) ? bits + 1 : bits - 1;
    return num_bits_double(bits);
}
static inline uint16_t fused_half(uint16_t a, uint16_t b, uint16_t c)
{
    const double p = (double)half_to_float(a) * (double)half_to_float(b);
    return (uint16_t)num_encode(&num_half, odd_sum(p, (double)half_to_float(c)));
}
static inline uint16_t fused_bfloat(uint16_t a, uint16_t b, uint16_t c)
{
    const double p = (double)bfloat_to_float(a) * (double)bfloat_to_float(b);
    return (uint16_t)num_encode(&num_bfloat, odd_sum(p, (double)bfloat_to_float(c)));
}

#define H lane_u16
#define SMALL_COMPARES(S, TO)                                                                                          \
    LANES_BINARY(eq_##S, lane_u8, H, H, TO(a) == TO(b))                                                                \
    LANES_BINARY(ne_##S, lane_u8, H, H, TO(a) != TO(b))                                                                \
    LANES_BINARY(lt_##S, lane_u8, H, H, TO(a) < TO(b))                                                                 \
    LANES_BINARY(le_##S, lane_u8, H, H, TO(a) <= TO(b))                                                                \
    LANES_BINARY(min_##S, H, H, H, TO(a) < TO(b) || TO(b) != TO(b) ? a : b)                                         \
    LANES_BINARY(max_##S, H, H, H, TO(a) > TO(b) || TO(b) != TO(b) ? a : b)                                         \
    LANES_TERNARY(mad_##S, H, H, H, H, FROM_##S(TO(FROM_##S(TO(a) * TO(b))) + TO(e)))                                  \
    LANES_TERNARY(fma_##S, H, H, H, H, fused_##S(a, b, e))
#define SMALL_ARITHMETIC(S, TO)                                                                                        \
    LANES_BINARY(add_##S, H, H, H, FROM_##S(TO(a) + TO(b)))                                                            \
    LANES_BINARY(sub_##S, H, H, H, FROM_##S(TO(a) - TO(b)))                                                            \
    LANES_BINARY(mul_##S, H, H, H, FROM_##S(TO(a) * TO(b)))                                                            \
    LANES_BINARY(div_##S, H, H, H, FROM_##S(TO(a) / TO(b)))
#define FROM_half half_from_float
#define FROM_bfloat bfloat_from_float

SMALL_COMPARES(half, half_to_float)
SMALL_COMPARES(bfloat, bfloat_to_float)
SMALL_ARITHMETIC(bfloat, bfloat_to_float)

#if defined(__F16C__)
/* The same with the conversion instructions, 8 lanes at a time. */
#define WITH_F16C(name, OPERATION)                                                                                     \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        const size_t sa = i->sa, sb = i->sb;                                                                           \
        char *pd = frame + i->d + c * 32;                                                                              \
        const char *pa = frame + i->a + c * sa, *pb = frame + i->b + c * sb;                                           \
        for (; c < end; ++c, pd += 32, pa += sa, pb += sb) {                                                           \
            for (int j = 0; j < 2; ++j) {                                                                              \
                const __m256 a = _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(const void *)pa + j));               \
                const __m256 b = _mm256_cvtph_ps(_mm_load_si128((const __m128i *)(const void *)pb + j));               \
                const __m128i r = _mm256_cvtps_ph(OPERATION(a, b), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);     \
                _mm_store_si128((__m128i *)(void *)pd + j, r);                                                         \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
WITH_F16C(add_half, _mm256_add_ps)
WITH_F16C(sub_half, _mm256_sub_ps)
WITH_F16C(mul_half, _mm256_mul_ps)
WITH_F16C(div_half, _mm256_div_ps)
#else
SMALL_ARITHMETIC(half, half_to_float)
#endif

#define ROW(OP, f) [EMU_##OP] = {f##_half, f##_bfloat}
static const emu_handler table[EMU_OPS][2] = {
    ROW(ADD, add), ROW(SUB, sub), ROW(MUL, mul), ROW(DIV, div), ROW(MAD, mad), ROW(FMA, fma),
    ROW(MIN, min), ROW(MAX, max), ROW(EQ, eq),   ROW(NE, ne),   ROW(LT, lt),   ROW(LE, le),
};

/* half and bfloat arithmetic. */
emu_handler LANES_NAME(lanes_half)(emu_op op, emu_type type)
{
    return type == EMU_F16 || type == EMU_BF16 ? table[op][type - EMU_F16] : NULL;
}
