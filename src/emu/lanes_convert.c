/* Lane handlers: conversions between the scalar types. */
#include "emu/lanes_half.h"

/* Integers: a wider one is filled by the sign of the narrower, a narrower one is cut. */
LANES_UNARY(i8_to_16, lane_i16, lane_i8, a)
LANES_UNARY(i8_to_32, lane_i32, lane_i8, a)
LANES_UNARY(i8_to_64, lane_i64, lane_i8, a)
LANES_UNARY(u8_to_16, lane_u16, lane_u8, a)
LANES_UNARY(u8_to_32, lane_u32, lane_u8, a)
LANES_UNARY(u8_to_64, lane_u64, lane_u8, a)
LANES_UNARY(i16_to_32, lane_i32, lane_i16, a)
LANES_UNARY(i16_to_64, lane_i64, lane_i16, a)
LANES_UNARY(u16_to_32, lane_u32, lane_u16, a)
LANES_UNARY(u16_to_64, lane_u64, lane_u16, a)
LANES_UNARY(i32_to_64, lane_i64, lane_i32, a)
LANES_UNARY(u32_to_64, lane_u64, lane_u32, a)
LANES_UNARY(cut_16_to_8, lane_u8, lane_u16, a)
LANES_UNARY(cut_32_to_8, lane_u8, lane_u32, a)
LANES_UNARY(cut_64_to_8, lane_u8, lane_u64, a)
LANES_UNARY(cut_32_to_16, lane_u16, lane_u32, a)
LANES_UNARY(cut_64_to_16, lane_u16, lane_u64, a)
LANES_UNARY(cut_64_to_32, lane_u32, lane_u64, a)
LANES_UNARY(same_8, lane_u8, lane_u8, a)
LANES_UNARY(same_16, lane_u16, lane_u16, a)
LANES_UNARY(same_32, lane_u32, lane_u32, a)
LANES_UNARY(same_64, lane_u64, lane_u64, a)

static const emu_handler widen[2][4][4] = {
    /* from unsigned: [log2 from][log2 to] */
    {{same_8, u8_to_16, u8_to_32, u8_to_64},
     {cut_16_to_8, same_16, u16_to_32, u16_to_64},
     {cut_32_to_8, cut_32_to_16, same_32, u32_to_64},
     {cut_64_to_8, cut_64_to_16, cut_64_to_32, same_64}},
    {{same_8, i8_to_16, i8_to_32, i8_to_64},
     {cut_16_to_8, same_16, i16_to_32, i16_to_64},
     {cut_32_to_8, cut_32_to_16, same_32, i32_to_64},
     {cut_64_to_8, cut_64_to_16, cut_64_to_32, same_64}},
};

/* To bool: anything but zero, NaN included. */
LANES_UNARY(bool_8, lane_u8, lane_u8, a != 0)
LANES_UNARY(bool_16, lane_u8, lane_u16, a != 0)
LANES_UNARY(bool_32, lane_u8, lane_u32, a != 0)
LANES_UNARY(bool_64, lane_u8, lane_u64, a != 0)
LANES_UNARY(bool_f16, lane_u8, lane_u16, (a & 0x7fff) != 0)
LANES_UNARY(bool_f32, lane_u8, lane_u32, (a & 0x7fffffffu) != 0)

/* Integers to float: nearest, ties to even. */
LANES_UNARY(f32_i8, lane_f32, lane_i8, a)
LANES_UNARY(f32_u8, lane_f32, lane_u8, a)
LANES_UNARY(f32_i16, lane_f32, lane_i16, a)
LANES_UNARY(f32_u16, lane_f32, lane_u16, a)
LANES_UNARY(f32_i32, lane_f32, lane_i32, a)
LANES_UNARY(f32_u32, lane_f32, lane_u32, a)
LANES_UNARY(f32_i64, lane_f32, lane_i64, a)
LANES_UNARY(f32_u64, lane_f32, lane_u64, a)
static const emu_handler to_float[8] = {f32_i8, f32_u8, f32_i16, f32_u16, f32_i32, f32_u32, f32_i64, f32_u64};

/* Float to integer: toward zero, held at the ends of the range, NaN gives 0. */
static inline int32_t to_i32(float x)
{
    const float safe = x > -2147483648.0f && x < 2147483648.0f ? x : 0.0f;
    int32_t r = (int32_t)safe;
    r = x >= 2147483648.0f ? INT32_MAX : r;
    return x <= -2147483648.0f ? INT32_MIN : r;
}
static inline int32_t to_range(float x, int32_t lo, int32_t hi)
{
    const int32_t r = to_i32(x);
    return r < lo ? lo : r > hi ? hi : r;
}
static inline uint32_t to_u32(float x)
{
    const float top = x >= 2147483648.0f ? 2147483648.0f : 0.0f;
    const float safe = x > 0.0f && x < 4294967296.0f ? x - top : 0.0f;
    const uint32_t r = (uint32_t)(int32_t)safe + (x >= 2147483648.0f ? 0x80000000u : 0u);
    return x >= 4294967296.0f ? UINT32_MAX : r;
}
static inline int64_t to_i64(float x)
{
    if (!(x > -9223372036854775808.0f)) return x == x ? INT64_MIN : 0;
    return x < 9223372036854775808.0f ? (int64_t)x : INT64_MAX;
}
static inline uint64_t to_u64(float x)
{
    if (!(x > 0.0f)) return 0;
    return x < 18446744073709551616.0f ? (uint64_t)x : UINT64_MAX;
}
LANES_UNARY(i8_f32, lane_i8, lane_f32, to_range(a, -128, 127))
LANES_UNARY(u8_f32, lane_u8, lane_f32, to_range(a, 0, 255))
LANES_UNARY(i16_f32, lane_i16, lane_f32, to_range(a, -32768, 32767))
LANES_UNARY(u16_f32, lane_u16, lane_f32, to_range(a, 0, 65535))
LANES_UNARY(i32_f32, lane_i32, lane_f32, to_i32(a))
LANES_UNARY(u32_f32, lane_u32, lane_f32, to_u32(a))
LANES_UNARY(i64_f32, lane_i64, lane_f32, to_i64(a))
LANES_UNARY(u64_f32, lane_u64, lane_f32, to_u64(a))
static const emu_handler from_float[8] = {i8_f32, u8_f32, i16_f32, u16_f32, i32_f32, u32_f32, i64_f32, u64_f32};

LANES_UNARY(f32_bf16, lane_f32, lane_u16, bfloat_to_float(a))
LANES_UNARY(bf16_f32, lane_u16, lane_f32, bfloat_from_float(a))

#if defined(__F16C__)
#include <immintrin.h>
static const emu_insn *f32_f16(emu_vm *vm, const emu_insn *i)
{
    LANES_RANGE;
    for (; c < end; ++c) {
        const __m128i *a = (const __m128i *)(const void *)(frame + i->a + c * i->sa);
        float *d = (float *)(void *)(frame + i->d + c * 64);
        _mm256_store_ps(d, _mm256_cvtph_ps(_mm_load_si128(a)));
        _mm256_store_ps(d + 8, _mm256_cvtph_ps(_mm_load_si128(a + 1)));
    }
    return i + 1;
}
static const emu_insn *f16_f32(emu_vm *vm, const emu_insn *i)
{
    LANES_RANGE;
    enum { MODE = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    for (; c < end; ++c) {
        const float *a = (const float *)(const void *)(frame + i->a + c * i->sa);
        __m128i *d = (__m128i *)(void *)(frame + i->d + c * 32);
        _mm_store_si128(d, _mm256_cvtps_ph(_mm256_load_ps(a), MODE));
        _mm_store_si128(d + 1, _mm256_cvtps_ph(_mm256_load_ps(a + 8), MODE));
    }
    return i + 1;
}
#else
LANES_UNARY(f32_f16, lane_f32, lane_u16, half_to_float(a))
LANES_UNARY(f16_f32, lane_u16, lane_f32, half_from_float(a))
#endif

static emu_handler to_bool(emu_type from)
{
    switch (from) {
    case EMU_BOOL: return same_8;
    case EMU_I8:
    case EMU_U8: return bool_8;
    case EMU_I16:
    case EMU_U16: return bool_16;
    case EMU_I32:
    case EMU_U32: return bool_32;
    case EMU_I64:
    case EMU_U64: return bool_64;
    case EMU_F16:
    case EMU_BF16: return bool_f16;
    case EMU_F32: return bool_f32;
    case EMU_TYPES: break;
    }
    return NULL;
}

static unsigned log2_size(emu_type t)
{
    const unsigned size = emu_type_size(t);
    return size == 8 ? 3 : size / 2;
}

/* The handler that makes a `to` of a `from`; NULL for pairs that go by way of float (half to int, half to bfloat ...). */
emu_handler LANES_NAME(lanes_convert)(emu_type to, emu_type from)
{
    if (to == EMU_BOOL) return to_bool(from);
    if (from == EMU_BOOL) from = EMU_U8;
    const bool to_small = to == EMU_F16 || to == EMU_BF16, from_small = from == EMU_F16 || from == EMU_BF16;
    if (to == from) return widen[0][log2_size(to)][log2_size(to)];
    if (to_small) return from != EMU_F32 ? NULL : to == EMU_F16 ? f16_f32 : bf16_f32;
    if (from_small) return to != EMU_F32 ? NULL : from == EMU_F16 ? f32_f16 : f32_bf16;
    if (to == EMU_F32) return to_float[from - EMU_I8];
    if (from == EMU_F32) return from_float[to - EMU_I8];
    const bool is_signed = from == EMU_I8 || from == EMU_I16 || from == EMU_I32 || from == EMU_I64;
    return widen[is_signed ? 1 : 0][log2_size(from)][log2_size(to)];
}
