/* Lane handlers: elementary functions. */
#include <math.h>

#include "emu/vmath.h"

#define F lane_f32
LANES_UNARY(exp_f, F, F, vm_exp(a))
LANES_UNARY(exp2_f, F, F, vm_exp2(a))
LANES_UNARY(exp10_f, F, F, vm_exp10(a))
LANES_UNARY(tanh_f, F, F, vm_tanh(a))
LANES_UNARY(log_f, F, F, vm_log(a))
LANES_UNARY(log2_f, F, F, vm_log2(a))
LANES_UNARY(log10_f, F, F, vm_log10(a))

/* Lane by lane in double through the C library; equal neighbours (a uniform value) are computed once. */
#define ONE_BY_ONE(name, TD, EXPR)                                                                                     \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        for (; c < end; ++c) {                                                                                         \
            TD *d = LANES_ALIGNED(frame + i->d + c * 4 * EMU_CHUNK, TD);                                               \
            const F *qa = LANES_ALIGNED(frame + i->a + c * i->sa, F);                                                  \
            uint32_t last = 0;                                                                                         \
            TD r = 0;                                                                                                  \
            for (int j = 0; j < EMU_CHUNK; ++j) {                                                                      \
                const float a = qa[j];                                                                                 \
                const double x = (double)a;                                                                            \
                (void)x;                                                                                               \
                if (j == 0 || lane_bits(a) != last) r = (TD)(EXPR);                                                    \
                last = lane_bits(a);                                                                                   \
                d[j] = r;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
#define ONE_BY_ONE2(name, EXPR)                                                                                        \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        for (; c < end; ++c) {                                                                                         \
            F *d = LANES_ALIGNED(frame + i->d + c * 4 * EMU_CHUNK, F);                                                 \
            const F *qa = LANES_ALIGNED(frame + i->a + c * i->sa, F);                                                  \
            const F *qb = LANES_ALIGNED(frame + i->b + c * i->sb, F);                                                  \
            for (int j = 0; j < EMU_CHUNK; ++j) {                                                                      \
                const float a = qa[j], b = qb[j];                                                                      \
                d[j] = (F)(EXPR);                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }

static double sin_pi(double x)
{
    const double k = rint(2.0 * x);
    const double r = (x - 0.5 * k) * 3.14159265358979323846;
    const int32_t n = (int32_t)fmod(k, 4.0);
    const double s = vm_sine_of(r, n + 4);
    return s == 0 ? copysign(0.0, x) : s;
}
static double cos_pi(double x)
{
    const double k = rint(2.0 * x);
    const double r = (x - 0.5 * k) * 3.14159265358979323846;
    const int32_t n = (int32_t)fmod(k, 4.0);
    const double c = vm_sine_of(r, n + 5);
    return c == 0 ? 0.0 : c;
}
static double not_finite(double x, double r)
{
    return x - x == 0 ? r : x - x;
}
static int32_t exponent_of(float a)
{
    int e = 0;
    if (a == 0 || a - a != 0) return 0;
    (void)frexpf(a, &e);
    return e;
}
static int32_t ilogb_of(float a)
{
    if (a == 0) return INT32_MIN;
    if (a - a != 0) return INT32_MAX;
    return exponent_of(a) - 1;
}
static float fraction_of(float a)
{
    int e = 0;
    return frexpf(a, &e);
}

ONE_BY_ONE(sinpi_f, F, not_finite(x, x - x == 0 ? sin_pi(x) : 0))
ONE_BY_ONE(cospi_f, F, not_finite(x, x - x == 0 ? cos_pi(x) : 0))
ONE_BY_ONE(tanpi_f, F, not_finite(x, x - x == 0 ? sin_pi(x) / cos_pi(x) : 0))
ONE_BY_ONE(asin_f, F, asin(x))
ONE_BY_ONE(acos_f, F, acos(x))
ONE_BY_ONE(atan_f, F, atan(x))
ONE_BY_ONE(sinh_f, F, sinh(x))
ONE_BY_ONE(cosh_f, F, cosh(x))
ONE_BY_ONE(asinh_f, F, asinh(x))
ONE_BY_ONE(acosh_f, F, acosh(x))
ONE_BY_ONE(atanh_f, F, atanh(x))
ONE_BY_ONE(frexp_f, F, fraction_of(a))
ONE_BY_ONE(frexpe_f, lane_i32, exponent_of(a))
ONE_BY_ONE(ilogb_f, lane_i32, ilogb_of(a))
ONE_BY_ONE2(atan2_f, atan2((double)a, (double)b))
ONE_BY_ONE2(fmod_f, fmodf(a, b))
ONE_BY_ONE2(nextafter_f, nextafterf(a, b))
/* b is an int here: its lanes are read as the bits they are. */
ONE_BY_ONE2(ldexp_f, ldexpf(a, (int)lane_bits(b)))

/* Vectors where all lanes of a chunk allow, else the C library for those that do not. */
#define WITH_RANGE(name, FAST, SLOW)                                                                                   \
    static const emu_insn *name(emu_vm *vm, const emu_insn *i)                                                         \
    {                                                                                                                  \
        LANES_RANGE;                                                                                                   \
        for (; c < end; ++c) {                                                                                         \
            F *d = LANES_ALIGNED(frame + i->d + c * 4 * EMU_CHUNK, F);                                                 \
            const F *qa = LANES_ALIGNED(frame + i->a + c * i->sa, F);                                                  \
            float x[EMU_CHUNK];                                                                                        \
            uint32_t wide = 0;                                                                                         \
            for (int j = 0; j < EMU_CHUNK; ++j) {                                                                      \
                x[j] = qa[j];                                                                                          \
                wide |= (lane_bits(x[j]) & 0x7fffffffu) > 0x49800000u ? 1u : 0u;                                       \
            }                                                                                                          \
            LANES for (int j = 0; j < EMU_CHUNK; ++j)                                                                  \
            {                                                                                                          \
                const float a = (lane_bits(x[j]) & 0x7fffffffu) > 0x49800000u ? 0.0f : x[j];                           \
                d[j] = FAST(a);                                                                                        \
            }                                                                                                          \
            if (wide == 0) continue;                                                                                   \
            for (int j = 0; j < EMU_CHUNK; ++j)                                                                        \
                if ((lane_bits(x[j]) & 0x7fffffffu) > 0x49800000u) d[j] = (float)SLOW((double)x[j]);                   \
        }                                                                                                              \
        return i + 1;                                                                                                  \
    }
WITH_RANGE(sin_f, vm_sin, sin)
WITH_RANGE(cos_f, vm_cos, cos)
WITH_RANGE(tan_f, vm_tan, tan)

static const emu_insn *pow_f(emu_vm *vm, const emu_insn *i)
{
    LANES_RANGE;
    for (; c < end; ++c) {
        F *d = LANES_ALIGNED(frame + i->d + c * 4 * EMU_CHUNK, F);
        const F *qa = LANES_ALIGNED(frame + i->a + c * i->sa, F);
        const F *qb = LANES_ALIGNED(frame + i->b + c * i->sb, F);
        float x[EMU_CHUNK], y[EMU_CHUNK];
        uint32_t odd = 0;
        for (int j = 0; j < EMU_CHUNK; ++j) {
            x[j] = qa[j];
            y[j] = qb[j];
            odd |= lane_bits(x[j]) - 1u >= 0x7f7fffffu || (lane_bits(y[j]) & 0x7fffffffu) >= 0x7f800000u ? 1u : 0u;
        }
        LANES for (int j = 0; j < EMU_CHUNK; ++j)
        {
            const float a = lane_bits(x[j]) - 1u >= 0x7f7fffffu ? 1.0f : x[j];
            const float b = (lane_bits(y[j]) & 0x7fffffffu) >= 0x7f800000u ? 1.0f : y[j];
            d[j] = vm_pow(a, b);
        }
        if (odd == 0) continue;
        for (int j = 0; j < EMU_CHUNK; ++j)
            if (lane_bits(x[j]) - 1u >= 0x7f7fffffu || (lane_bits(y[j]) & 0x7fffffffu) >= 0x7f800000u)
                d[j] = (float)pow((double)x[j], (double)y[j]);
    }
    return i + 1;
}

static const emu_handler table[EMU_OPS] = {
    [EMU_EXP] = exp_f,     [EMU_EXP2] = exp2_f,   [EMU_EXP10] = exp10_f, [EMU_LOG] = log_f,
    [EMU_LOG2] = log2_f,   [EMU_LOG10] = log10_f, [EMU_SIN] = sin_f,     [EMU_COS] = cos_f,
    [EMU_TAN] = tan_f,     [EMU_SINPI] = sinpi_f, [EMU_COSPI] = cospi_f, [EMU_TANPI] = tanpi_f,
    [EMU_ASIN] = asin_f,   [EMU_ACOS] = acos_f,   [EMU_ATAN] = atan_f,   [EMU_ATAN2] = atan2_f,
    [EMU_SINH] = sinh_f,   [EMU_COSH] = cosh_f,   [EMU_TANH] = tanh_f,   [EMU_ASINH] = asinh_f,
    [EMU_ACOSH] = acosh_f, [EMU_ATANH] = atanh_f, [EMU_POW] = pow_f,     [EMU_FMOD] = fmod_f,
    [EMU_FREXP] = frexp_f, [EMU_FREXPE] = frexpe_f, [EMU_ILOGB] = ilogb_f, [EMU_LDEXP] = ldexp_f,
    [EMU_NEXTAFTER] = nextafter_f,
};

/* Elementary functions of float. */
emu_handler LANES_NAME(lanes_math)(emu_op op, emu_type type)
{
    return type == EMU_F32 ? table[op] : NULL;
}
