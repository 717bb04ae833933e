/* Lane handlers: bitwise operations, shifts, selection, bit counts. */
#include "emu/lanes.h"

#define BIT_OPS(S, T, U, BITS)                                                                                         \
    LANES_BINARY(and_##S, T, T, T, a &b)                                                                               \
    LANES_BINARY(or_##S, T, T, T, a | b)                                                                               \
    LANES_BINARY(xor_##S, T, T, T, a ^ b)                                                                              \
    LANES_BINARY(andn_##S, T, T, T, a &(U) ~(U)b)                                                                      \
    LANES_BINARY(shl_##S, T, T, T, (U)a << (b & (BITS - 1)))                                                           \
    LANES_TERNARY(select_##S, T, T, T, lane_u8, (T)(((U)a & ((U)0 - e)) | ((U)b & (U) ~((U)0 - e))))

BIT_OPS(u8, lane_u8, uint32_t, 8)
BIT_OPS(u16, lane_u16, uint32_t, 16)
BIT_OPS(u32, lane_u32, uint32_t, 32)
BIT_OPS(u64, lane_u64, uint64_t, 64)

LANES_BINARY(shr_i8, lane_i8, lane_i8, lane_i8, a >> (b & 7))
LANES_BINARY(shr_u8, lane_u8, lane_u8, lane_u8, a >> (b & 7))
LANES_BINARY(shr_i16, lane_i16, lane_i16, lane_i16, a >> (b & 15))
LANES_BINARY(shr_u16, lane_u16, lane_u16, lane_u16, a >> (b & 15))
LANES_BINARY(shr_i32, lane_i32, lane_i32, lane_i32, a >> (b & 31))
LANES_BINARY(shr_u32, lane_u32, lane_u32, lane_u32, a >> (b & 31))
LANES_BINARY(shr_i64, lane_i64, lane_i64, lane_i64, a >> (b & 63))
LANES_BINARY(shr_u64, lane_u64, lane_u64, lane_u64, a >> (b & 63))

/* Bits counted by folding, the same at all widths, without a table or a special instruction. */
static inline uint32_t popcount32(uint32_t v)
{
    v = v - ((v >> 1) & 0x55555555u);
    v = (v & 0x33333333u) + ((v >> 2) & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    return (v * 0x01010101u) >> 24;
}
static inline uint32_t smear32(uint32_t v)
{
    v |= v >> 1;
    v |= v >> 2;
    v |= v >> 4;
    v |= v >> 8;
    return v | (v >> 16);
}
static inline uint32_t clz32(uint32_t v)
{
    return 32 - popcount32(smear32(v));
}
static inline uint32_t ctz32(uint32_t v)
{
    return popcount32(~v & (v - 1));
}
static inline uint32_t reverse32(uint32_t v)
{
    v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
    v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
    v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
    v = ((v >> 8) & 0x00ff00ffu) | ((v & 0x00ff00ffu) << 8);
    return (v >> 16) | (v << 16);
}

LANES_UNARY(popcount_u8, lane_u8, lane_u8, popcount32(a))
LANES_UNARY(popcount_u16, lane_u16, lane_u16, popcount32(a))
LANES_UNARY(popcount_u32, lane_u32, lane_u32, popcount32(a))
LANES_UNARY(popcount_u64, lane_u64, lane_u64, popcount32((uint32_t)a) + popcount32((uint32_t)(a >> 32)))
LANES_UNARY(clz_u8, lane_u8, lane_u8, clz32(a) - 24)
LANES_UNARY(clz_u16, lane_u16, lane_u16, clz32(a) - 16)
LANES_UNARY(clz_u32, lane_u32, lane_u32, clz32(a))
LANES_UNARY(clz_u64, lane_u64, lane_u64, (a >> 32) != 0 ? clz32((uint32_t)(a >> 32)) : 32 + clz32((uint32_t)a))
LANES_UNARY(ctz_u8, lane_u8, lane_u8, ctz32(a | 0x100u))
LANES_UNARY(ctz_u16, lane_u16, lane_u16, ctz32(a | 0x10000u))
LANES_UNARY(ctz_u32, lane_u32, lane_u32, ctz32(a))
LANES_UNARY(ctz_u64, lane_u64, lane_u64, (uint32_t)a != 0 ? ctz32((uint32_t)a) : 32 + ctz32((uint32_t)(a >> 32)))
LANES_UNARY(reverse_u8, lane_u8, lane_u8, reverse32(a) >> 24)
LANES_UNARY(reverse_u16, lane_u16, lane_u16, reverse32(a) >> 16)
LANES_UNARY(reverse_u32, lane_u32, lane_u32, reverse32(a))
LANES_UNARY(reverse_u64, lane_u64, lane_u64, (uint64_t)reverse32((uint32_t)a) << 32 | reverse32((uint32_t)(a >> 32)))

#define ROW_WIDTH(OP, f) [EMU_##OP] = {f##_u8, f##_u16, f##_u32, f##_u64}

static const emu_handler by_width[EMU_OPS][4] = {
    ROW_WIDTH(AND, and),           ROW_WIDTH(OR, or),   ROW_WIDTH(XOR, xor), ROW_WIDTH(ANDN, andn),
    ROW_WIDTH(SHL, shl),           ROW_WIDTH(SELECT, select),
    ROW_WIDTH(POPCOUNT, popcount), ROW_WIDTH(CLZ, clz), ROW_WIDTH(CTZ, ctz), ROW_WIDTH(REVERSE, reverse),
};
static const emu_handler shr[8] = {shr_i8, shr_u8, shr_i16, shr_u16, shr_i32, shr_u32, shr_i64, shr_u64};

/* Bitwise operations of any type: floats as the bits they are. */
emu_handler LANES_NAME(lanes_bits)(emu_op op, emu_type type)
{
    if (op == EMU_SHR) return type >= EMU_I8 && type <= EMU_U64 ? shr[type - EMU_I8] : NULL;
    const unsigned size = emu_type_size(type);
    return by_width[op][size == 8 ? 3 : size / 2];
}
