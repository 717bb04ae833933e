/* Pure builtins on scalar values. */
#include "ir/value.h"

#include <math.h>

/* The next value of a float type from `a` toward `b`, through the order of its bits. */
static double next_toward(ir_type type, double a, double b)
{
    if (isnan(a) || isnan(b)) return a + b;
    if (a == b) return b;
    if (type.bits == 64) return nextafter(a, b);
    ir_value smallest = ir_value_from_bits(type, 1);
    if (a == 0.0) return copysign(smallest.f, b);
    uint64_t bits = ir_value_bits(ir_value_float(type, a));
    bool outward = (a < b) == (a > 0.0);
    return ir_value_from_bits(type, outward ? bits + 1 : bits - 1).f;
}

static double fused(ir_type type, double a, double b, double c)
{
    return type.bits == 32 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c);
}

static bool one_float(ir_builtin fn, double x, double *out)
{
    switch ((int)fn) {
    case IR_FN_EXP: *out = exp(x); return true;
    case IR_FN_EXP2: *out = exp2(x); return true;
    case IR_FN_EXP10: *out = pow(10.0, x); return true;
    case IR_FN_LOG: *out = log(x); return true;
    case IR_FN_LOG2: *out = log2(x); return true;
    case IR_FN_LOG10: *out = log10(x); return true;
    case IR_FN_LOG1P: *out = log1p(x); return true;
    case IR_FN_SQRT: *out = sqrt(x); return true;
    case IR_FN_RSQRT: *out = 1.0 / sqrt(x); return true;
    case IR_FN_SIN: *out = sin(x); return true;
    case IR_FN_COS: *out = cos(x); return true;
    case IR_FN_TAN: *out = tan(x); return true;
    case IR_FN_SINH: *out = sinh(x); return true;
    case IR_FN_COSH: *out = cosh(x); return true;
    case IR_FN_TANH: *out = tanh(x); return true;
    case IR_FN_ASIN: *out = asin(x); return true;
    case IR_FN_ACOS: *out = acos(x); return true;
    case IR_FN_ATAN: *out = atan(x); return true;
    case IR_FN_ASINH: *out = asinh(x); return true;
    case IR_FN_ACOSH: *out = acosh(x); return true;
    case IR_FN_ATANH: *out = atanh(x); return true;
    case IR_FN_ERF: *out = erf(x); return true;
    case IR_FN_SIGMOID: *out = 1.0 / (1.0 + exp(-x)); return true;
    case IR_FN_FLOOR: *out = floor(x); return true;
    case IR_FN_CEIL: *out = ceil(x); return true;
    case IR_FN_TRUNC: *out = trunc(x); return true;
    case IR_FN_ROUND:
    case IR_FN_NEARBYINT: *out = nearbyint(x); return true;
    case IR_FN_FABS:
    case IR_FN_ABS: *out = fabs(x); return true;
    default: return false;
    }
}

static bool two_floats(ir_builtin fn, ir_type type, double x, double y, double *out)
{
    switch ((int)fn) {
    case IR_FN_POW: *out = pow(x, y); return true;
    case IR_FN_FMOD: *out = fmod(x, y); return true;
    case IR_FN_ATAN2: *out = atan2(x, y); return true;
    case IR_FN_HYPOT: *out = hypot(x, y); return true;
    case IR_FN_COPYSIGN: *out = copysign(x, y); return true;
    case IR_FN_NEXTAFTER: *out = next_toward(type, x, y); return true;
    default: return false;
    }
}

/* x * 2^e with any integer e. */
static double scale(double x, int64_t e)
{
    return ldexp(x, e > 5000 ? 5000 : e < -5000 ? -5000 : (int)e);
}

static bool count_bits(ir_builtin fn, ir_type type, ir_value a, ir_value *out)
{
    uint64_t bits = ir_value_bits(a);
    int64_t ones = 0, zeros = a.type.bits;
    for (int i = 0; i < a.type.bits; ++i) {
        if ((bits >> i & 1) == 0) continue;
        ++ones;
        zeros = a.type.bits - 1 - i;
    }
    *out = ir_value_int(type, fn == IR_FN_POPCOUNT ? ones : zeros);
    return true;
}

static bool one_int(ir_builtin fn, ir_type type, ir_value a, ir_value *out)
{
    switch ((int)fn) {
    case IR_FN_ABS:
        *out = ir_value_int(type,
                            a.i < 0 && a.type.code == IR_INT ? (int64_t)(0 - (uint64_t)a.i) : a.i);
        return true;
    case IR_FN_BITNOT:
        *out = ir_value_int(type, ir_type_is_bool(a.type) ? a.i == 0 : ~a.i);
        return true;
    case IR_FN_POPCOUNT:
    case IR_FN_CLZ: return count_bits(fn, type, a, out);
    case IR_FN_ISNAN:
    case IR_FN_ISINF: *out = ir_value_int(IR_B1, false); return true;
    case IR_FN_ISFINITE: *out = ir_value_int(IR_B1, true); return true;
    default: return false;
    }
}

static bool classify(ir_builtin fn, double x, ir_value *out)
{
    switch ((int)fn) {
    case IR_FN_ISNAN: *out = ir_value_int(IR_B1, isnan(x) != 0); return true;
    case IR_FN_ISINF: *out = ir_value_int(IR_B1, isinf(x) != 0); return true;
    case IR_FN_ISFINITE: *out = ir_value_int(IR_B1, isfinite(x) != 0); return true;
    default: return false;
    }
}

static bool call_floats(ir_builtin fn, ir_type type, const ir_value *args, size_t n, ir_value *out)
{
    double r;
    if (fn == IR_FN_LDEXP && n == 2) {
        bool whole = !ir_type_is_float(args[1].type);
        r = whole ? scale(args[0].f, args[1].i) : args[0].f * exp2(args[1].f);
    } else if (fn == IR_FN_FMA && n == 3) {
        if (!ir_type_is_float(args[1].type) || !ir_type_is_float(args[2].type)) return false;
        r = fused(type, args[0].f, args[1].f, args[2].f);
    } else if (n == 1) {
        if (classify(fn, args[0].f, out)) return true;
        if (!one_float(fn, args[0].f, &r)) return false;
    } else if (n == 2 && ir_type_is_float(args[1].type)) {
        if (!two_floats(fn, type, args[0].f, args[1].f, &r)) return false;
    } else {
        return false;
    }
    *out = ir_value_float(type, r);
    return true;
}

bool ir_value_call(ir_builtin fn, ir_type type, const ir_value *args, size_t n, ir_value *out)
{
    if (n == 0) return false;
    for (size_t i = 0; i < n; ++i) {
        if (!ir_value_known(args[i].type)) return false;
    }
    type = ir_type_element(type);
    if (ir_builtin_is_hint(fn)) {
        *out = args[0];
        return true;
    }
    if (fn == IR_FN_REINTERPRET) {
        if (type.bits != args[0].type.bits || !ir_value_known(type)) return false;
        *out = ir_value_from_bits(type, ir_value_bits(args[0]));
        return true;
    }
    if (ir_type_is_float(args[0].type)) return call_floats(fn, type, args, n, out);
    return n == 1 && one_int(fn, type, args[0], out);
}
