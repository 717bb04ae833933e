/* half and bfloat to float and back, branch-free so that a loop over it becomes vectors. */
#ifndef EMU_LANES_HALF_H
#define EMU_LANES_HALF_H

#include "emu/lanes.h"

/* The exponent moves by 112; what was denormal is taken from the fraction of a float at 0.5. */
static inline float half_to_float(uint16_t h)
{
    const uint32_t twice = (uint32_t)h << 17, sign = ((uint32_t)h & 0x8000u) << 16;
    const float normal = lane_float((twice >> 4) + 0x70000000u) * 0x1p-112f;
    const float tiny = lane_float((twice >> 17) | 0x3f000000u) - 0.5f;
    const float m = twice < 0x08000000u ? tiny : normal;
    return lane_float(lane_bits(m) | sign);
}

/* Nearest, ties to even. Below the normal range adding 0.5 rounds at half's smallest step. */
static inline uint16_t half_from_float(float f)
{
    const uint32_t bits = lane_bits(f), m = bits & 0x7fffffffu, sign = (bits >> 16) & 0x8000u;
    const uint32_t normal = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13;
    const uint32_t tiny = lane_bits(lane_float(m) + 0.5f) - 0x3f000000u;
    const uint32_t nan = 0x7e00u | ((m >> 13) & 0x3ffu);
    uint32_t r = m < 0x38800000u ? tiny : normal;
    r = m >= 0x477ff000u ? 0x7c00u : r;
    r = m > 0x7f800000u ? nan : r;
    return (uint16_t)(r | sign);
}

static inline float bfloat_to_float(uint16_t h)
{
    return lane_float((uint32_t)h << 16);
}

static inline uint16_t bfloat_from_float(float f)
{
    const uint32_t bits = lane_bits(f);
    const uint32_t r = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? (bits >> 16) | 0x40u : r);
}

#endif
