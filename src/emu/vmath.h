/* Elementary functions, branch-free so that a loop over them becomes vectors, and the same bits on every instruction set.
 *
 * Errors against the real value, over all floats (tests/unit/test_emu_math.c): exp, exp2, exp10, tanh at most 2 units in
 * the last place; log*, pow, sin, cos and their kin, computed in double, at most 0.51. The coefficients are minimax fits
 * made for these ranges.
 */
#ifndef EMU_VMATH_H
#define EMU_VMATH_H

#include "emu/lanes.h"

static inline uint64_t lane_bits64(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}
static inline double lane_double(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

/* p * 2^n for n of -160 to 130, denormal and infinite results rounded once: the scale goes in two steps. */
static inline float vm_scale(float p, int32_t n)
{
    const int32_t h = n >> 1;
    return p * lane_float((uint32_t)(h + 127) << 23) * lane_float((uint32_t)(n - h + 127) << 23);
}

/* The integer nearest to x, |x| < 2^21, without a conversion that NaN would break: *n has it, the result too. */
static inline float vm_nearest(float x, int32_t *n)
{
    const float t = x + 12582912.0f;
    *n = (int32_t)(lane_bits(t) - 0x4b400000u);
    return t - 12582912.0f;
}

/* e^r for |r| below 0.35. */
static inline float vm_exp_small(float r)
{
    float p = 0x1.6d1606p-10f;
    p = p * r + 0x1.12106cp-7f;
    p = p * r + 0x1.555516p-5f;
    p = p * r + 0x1.5554d8p-3f;
    p = p * r + 0.5f;
    return (p * r) * r + r + 1.0f;
}

static inline float vm_exp(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    int32_t n;
    const float k = vm_nearest(c * 0x1.715476p+0f, &n);
    const float r = (c - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    const float e = vm_scale(vm_exp_small(r), n);
    return x != x ? x : e;
}

static inline float vm_exp2(float x)
{
    float c = x > 129.0f ? 129.0f : x;
    c = c < -151.0f ? -151.0f : c;
    int32_t n;
    const float r = c - vm_nearest(c, &n);
    float p = 0x1.00a646p-16f;
    p = p * r + 0x1.44413ep-13f;
    p = p * r + 0x1.5d879ep-10f;
    p = p * r + 0x1.3b2a1ap-7f;
    p = p * r + 0x1.c6b08ep-5f;
    p = p * r + 0x1.ebfbe0p-3f;
    p = p * r + 0x1.62e430p-1f;
    const float e = vm_scale(p * r + 1.0f, n);
    return x != x ? x : e;
}

static inline float vm_exp10(float x)
{
    float c = x > 39.0f ? 39.0f : x;
    c = c < -46.0f ? -46.0f : c;
    int32_t n;
    const float k = vm_nearest(c * 0x1.a934fp+1f, &n);
    const float r = (c - k * 0x1.344p-2f) - k * 0x1.3509f8p-18f;
    const float e = vm_scale(vm_exp_small(r * 0x1.26bb1cp+1f), n);
    return x != x ? x : e;
}

static inline float vm_tanh(float x)
{
    const uint32_t sign = lane_bits(x) & 0x80000000u;
    const float m = lane_float(lane_bits(x) & 0x7fffffffu);
    const float t = m * m;
    float p = 0x1.2977d8p-9f;
    p = p * t + -0x1.10bbf4p-7f;
    p = p * t + 0x1.648e8ep-6f;
    p = p * t + -0x1.ba0718p-5f;
    p = p * t + 0x1.1110e4p-3f;
    p = p * t + -0x1.555556p-2f;
    const float near = m + m * (t * p);
    /* 1 - 2 / (e^2m + 1), from 10 on 1 */
    const float c = m < 10.0f ? m + m : 20.0f;
    int32_t n;
    const float k = vm_nearest(c * 0x1.715476p+0f, &n);
    const float q = (c - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    const float e = vm_exp_small(q) * lane_float((uint32_t)(n + 127) << 23);
    const float far = 1.0f - 2.0f / (e + 1.0f);
    const float r = m < 0.625f ? near : far;
    return x != x ? x : lane_float(lane_bits(r) | sign);
}

/* x > 0 and finite: ln x = *e * ln 2 + the result. */
static inline double vm_log_parts(float x, double *e)
{
    const uint32_t tiny = x < 0x1p-126f ? 1u : 0u;
    const uint32_t bits = lane_bits(tiny != 0 ? x * 0x1p23f : x);
    const int32_t k = (int32_t)(bits - 0x3f3504f3u) >> 23;
    const double m = (double)lane_float(bits - ((uint32_t)k << 23));
    const double s = (m - 1.0) / (m + 1.0), t = s * s;
    double p = 0x1.2b7fa64da1a6ap-4;
    p = p * t + 0x1.39fb2efe206abp-4;
    p = p * t + 0x1.7462cd53e5318p-4;
    p = p * t + 0x1.c71c628e9e0c9p-4;
    p = p * t + 0x1.2492492e35998p-3;
    p = p * t + 0x1.9999999995077p-3;
    p = p * t + 0x1.5555555555558p-2;
    *e = (double)(k - (tiny != 0 ? 23 : 0));
    return 2.0 * s + 2.0 * s * (t * p);
}
/* Puts in what logarithms give at the ends of their range. */
static inline float vm_log_ends(float x, float r)
{
    r = x == 0.0f ? -lane_float(0x7f800000u) : r;
    r = x < 0.0f ? lane_float(0x7fc00000u) : r;
    return lane_bits(x) - 0x7f800000u <= 0x007fffffu || x != x ? x + x : r;
}
static inline float vm_log(float x)
{
    double e;
    const double l = vm_log_parts(x, &e);
    return vm_log_ends(x, (float)(e * 0x1.62e42fefa39efp-1 + l));
}
static inline float vm_log2(float x)
{
    double e;
    const double l = vm_log_parts(x, &e);
    return vm_log_ends(x, (float)(e + l * 0x1.71547652b82fep+0));
}
static inline float vm_log10(float x)
{
    double e;
    const double l = vm_log_parts(x, &e);
    return vm_log_ends(x, (float)(e * 0x1.34413509f79ffp-2 + l * 0x1.bcb7b1526e50ep-2));
}

/* x^y for finite x > 0 and finite y. */
static inline float vm_pow(float x, float y)
{
    double e;
    const double l = vm_log_parts(x, &e);
    double t = (double)y * (e + l * 0x1.71547652b82fep+0);
    t = t > 200.0 ? 200.0 : t;
    t = t < -200.0 ? -200.0 : t;
    const double k = (t + 0x1.8p52) - 0x1.8p52, r = t - k;
    double p = 0x1.e5eb174f596a7p-28;
    p = p * r + 0x1.b65857cff5f78p-24;
    p = p * r + 0x1.62bfe3e1f42e8p-20;
    p = p * r + 0x1.ffcb75655e26ep-17;
    p = p * r + 0x1.430913039a652p-13;
    p = p * r + 0x1.5d87fe90d9668p-10;
    p = p * r + 0x1.3b2ab6fba3804p-7;
    p = p * r + 0x1.c6b08d7043f8fp-5;
    p = p * r + 0x1.ebfbdff82c590p-3;
    p = p * r + 0x1.62e42fefa39f7p-1;
    const double scale = lane_double((uint64_t)(int64_t)((int32_t)k + 1023) << 52);
    return (float)((p * r + 1.0) * scale);
}

/* sin and cos of r, |r| up to pi/4, and the quarter turn n they are in. */
static inline double vm_sine_of(double r, int32_t n)
{
    const double t = r * r;
    double s = -0x1.aa1d8ddd44d7dp-26;
    s = s * t + 0x1.71d9928b49ee8p-19;
    s = s * t + -0x1.a019fd7c1bb1bp-13;
    s = s * t + 0x1.1111110fc6f8cp-7;
    s = s * t + -0x1.5555555555138p-3;
    s = r + r * (t * s);
    double c = 0x1.1c7b97552430dp-29;
    c = c * t + -0x1.27e251e72b665p-22;
    c = c * t + 0x1.a019ff41db756p-16;
    c = c * t + -0x1.6c16c16b59f4dp-10;
    c = c * t + 0x1.5555555555428p-5;
    c = (1.0 - 0.5 * t) + (t * t) * c;
    const double v = (n & 1) != 0 ? c : s;
    return (n & 2) != 0 ? -v : v;
}
/* |x| up to 2^20: beyond, vm_turns has too few bits. */
static inline double vm_turns(float x, int32_t *n)
{
    const double d = (double)x;
    const double k = (d * 0x1.45f306dc9c883p-1 + 0x1.8p52) - 0x1.8p52;
    *n = (int32_t)k;
    return (d - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34;
}
static inline float vm_sin(float x)
{
    int32_t n;
    const double r = vm_turns(x, &n);
    const float s = (float)vm_sine_of(r, n);
    return x == 0.0f ? x : s;
}
static inline float vm_cos(float x)
{
    int32_t n;
    const double r = vm_turns(x, &n);
    return (float)vm_sine_of(r, n + 1);
}
static inline float vm_tan(float x)
{
    int32_t n;
    const double r = vm_turns(x, &n);
    const float t = (float)(vm_sine_of(r, n) / vm_sine_of(r, n + 1));
    return x == 0.0f ? x : t;
}

#endif
