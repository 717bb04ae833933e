/* The elementary functions that compiled kernels call: the software device's own, so that results are the same bits; and
 * the table of all host functions. */
#include <math.h>

#include "air/runtime.h"
#include "base/num.h"
#include "emu/lanes_half.h"
#include "emu/vmath.h"

static uint16_t air_half_from(float f)
{
    return half_from_float(f);
}
static float air_half_to(uint16_t h)
{
    return half_to_float(h);
}

static float air_exp(float x) { return vm_exp(x); }
static float air_exp2(float x) { return vm_exp2(x); }
static float air_exp10(float x) { return vm_exp10(x); }
static float air_log(float x) { return vm_log(x); }
static float air_log2(float x) { return vm_log2(x); }
static float air_log10(float x) { return vm_log10(x); }
static float air_tanh(float x) { return vm_tanh(x); }

/* Beyond 2^20 the reduction of vmath.h has too few bits. */
static bool is_wide(float x)
{
    return (lane_bits(x) & 0x7fffffffu) > 0x49800000u;
}
static float air_sin(float x) { return is_wide(x) ? (float)sin((double)x) : vm_sin(x); }
static float air_cos(float x) { return is_wide(x) ? (float)cos((double)x) : vm_cos(x); }
static float air_tan(float x) { return is_wide(x) ? (float)tan((double)x) : vm_tan(x); }

static double sin_pi(double x)
{
    const double k = rint(2.0 * x);
    const double r = (x - 0.5 * k) * 3.14159265358979323846;
    const double s = vm_sine_of(r, (int32_t)fmod(k, 4.0) + 4);
    return s == 0 ? copysign(0.0, x) : s;
}
static double cos_pi(double x)
{
    const double k = rint(2.0 * x);
    const double r = (x - 0.5 * k) * 3.14159265358979323846;
    const double c = vm_sine_of(r, (int32_t)fmod(k, 4.0) + 5);
    return c == 0 ? 0.0 : c;
}
static bool is_finite(float x)
{
    return x - x == 0;
}
static float air_sinpi(float x) { return is_finite(x) ? (float)sin_pi((double)x) : x - x; }
static float air_cospi(float x) { return is_finite(x) ? (float)cos_pi((double)x) : x - x; }
static float air_tanpi(float x) { return is_finite(x) ? (float)(sin_pi((double)x) / cos_pi((double)x)) : x - x; }
static float air_asin(float x) { return (float)asin((double)x); }
static float air_acos(float x) { return (float)acos((double)x); }
static float air_atan(float x) { return (float)atan((double)x); }
static float air_sinh(float x) { return (float)sinh((double)x); }
static float air_cosh(float x) { return (float)cosh((double)x); }
static float air_asinh(float x) { return (float)asinh((double)x); }
static float air_acosh(float x) { return (float)acosh((double)x); }
static float air_atanh(float x) { return (float)atanh((double)x); }
static float air_atan2(float y, float x) { return (float)atan2((double)y, (double)x); }
static float air_fmod(float a, float b) { return fmodf(a, b); }
static float air_nextafter(float a, float b) { return nextafterf(a, b); }
static float air_ldexp(float a, uint32_t n) { return ldexpf(a, (int)n); }

static bool is_odd(float x, float y)
{
    return lane_bits(x) - 1u >= 0x7f7fffffu || (lane_bits(y) & 0x7fffffffu) >= 0x7f800000u;
}
static float air_pow(float x, float y)
{
    return is_odd(x, y) ? (float)pow((double)x, (double)y) : vm_pow(x, y);
}

static float air_frexp(float a)
{
    int e = 0;
    return frexpf(a, &e);
}
static uint32_t air_frexp_exponent(float a)
{
    int e = 0;
    if (a == 0 || !is_finite(a)) return 0;
    (void)frexpf(a, &e);
    return (uint32_t)e;
}
static uint32_t air_ilogb(float a)
{
    if (a == 0) return (uint32_t)INT32_MIN;
    return is_finite(a) ? air_frexp_exponent(a) - 1u : (uint32_t)INT32_MAX;
}
static float air_round(float x) { return roundf(x); }
static float air_fma(float a, float b, float c) { return fmaf(a, b, c); }

/* The double sum made odd where it is inexact, so that rounding it once more rounds right. */
static double odd_sum(double p, double c)
{
    const double s = p + c, back = s - p;
    const double rest = (p - (s - back)) + (c - back);
    const uint64_t bits = lane_bits64(s);
    if (!(rest != 0) || s == 0 || (bits & 1) != 0 || (bits >> 52 & 0x7ff) == 0x7ff) return s;
    return lane_double((rest > 0) == (s > 0) ? bits + 1 : bits - 1);
}
static uint16_t air_fma_half(uint16_t a, uint16_t b, uint16_t c)
{
    const double p = (double)half_to_float(a) * (double)half_to_float(b);
    return (uint16_t)num_encode(&num_half, odd_sum(p, (double)half_to_float(c)));
}
static uint16_t air_fma_bfloat(uint16_t a, uint16_t b, uint16_t c)
{
    const double p = (double)bfloat_to_float(a) * (double)bfloat_to_float(b);
    return (uint16_t)num_encode(&num_bfloat, odd_sum(p, (double)bfloat_to_float(c)));
}

/* ---- Many at once: in place, `n` a multiple of 16, in lines of the cache; the second numbers of pow at y ---------------------------------------- */

/* Vectors of the widest kind that this machine has; the same operations, so the same bits. */
#if defined(__x86_64__)
#define WIDER __attribute__((target("avx2,fma,f16c")))
#define WIDEST __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")))
static bool has_wider(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_widest(void)
{
    return has_wider() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#else
#define WIDER
#define WIDEST
static bool has_wider(void)
{
    return false;
}
static bool has_widest(void)
{
    return false;
}
#endif

enum { AT_ONCE = 16 };

#define LOOP(name, set, EXPR)                                                                                          \
    set static void name(float *to, const float *second, uint32_t n)                                                   \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i += AT_ONCE) {                                                                    \
            float *x = __builtin_assume_aligned(to + i, 64);                                                           \
            const float *y = __builtin_assume_aligned(second + i, 64);                                                 \
            LANES for (int k = 0; k < AT_ONCE; ++k)                                                                    \
            {                                                                                                          \
                x[k] = (EXPR);                                                                                         \
            }                                                                                                          \
            (void)y;                                                                                                   \
        }                                                                                                              \
    }
/* One function a set of instructions; where the numbers are not all `PLAIN`, one by one by `one`. */
#define MANY(fn, EXPR, PLAIN, ONE)                                                                                     \
    LOOP(fn##_narrow, , EXPR)                                                                                          \
    LOOP(fn##_wider, WIDER, EXPR)                                                                                      \
    LOOP(fn##_widest, WIDEST, EXPR)                                                                                    \
    static void fn##_many(float *x, const float *y, uint32_t n)                                                        \
    {                                                                                                                  \
        bool plain = true;                                                                                             \
        for (uint32_t k = 0; k < n; ++k) plain &= (PLAIN);                                                             \
        for (uint32_t k = 0; k < n && !plain; ++k) x[k] = (ONE);                                                       \
        if (!plain) return;                                                                                            \
        if (has_widest()) fn##_widest(x, y, n);                                                                        \
        else if (has_wider()) fn##_wider(x, y, n);                                                                     \
        else fn##_narrow(x, y, n);                                                                                     \
    }
#define MANY1(fn)                                                                                                      \
    MANY(fn, vm_##fn(x[k]), true, 0)                                                                                   \
    static void air_##fn##_lanes(float *x, uint32_t n) { fn##_many(x, x, n); }
#define MANY_TURNS(fn)                                                                                                 \
    MANY(fn, vm_##fn(x[k]), !is_wide(x[k]), air_##fn(x[k]))                                                            \
    static void air_##fn##_lanes(float *x, uint32_t n) { fn##_many(x, x, n); }

MANY1(exp)
MANY1(exp2)
MANY1(exp10)
MANY1(log)
MANY1(log2)
MANY1(log10)
MANY1(tanh)
MANY_TURNS(sin)
MANY_TURNS(cos)
MANY_TURNS(tan)
MANY(pow, vm_pow(x[k], y[k]), !is_odd(x[k], y[k]), air_pow(x[k], y[k]))
static void air_pow_lanes(float *x, const float *y, uint32_t n)
{
    pow_many(x, y, n);
}

const air_host_function *air_host_functions(size_t *count)
{
    static const air_host_function table[] = {
#define AIR_HOST(function, type) {#function, type, (void (*)(void))(function)},
#include "air/host.def"
#undef AIR_HOST
    };
    *count = sizeof table / sizeof *table;
    return table;
}
