/* Floats: min and max that keep NaN, and conversions to integers that are defined for every value. */
#include "pass/low.h"

#include <math.h>

/* ---- What is known of a float's value ----------------------------------------------------------- */

typedef struct float_range {
    double min, max;
    bool nan; /* may be NaN */
} float_range;

static const float_range any_float = {-HUGE_VAL, HUGE_VAL, true};

static float_range range_of(low *l, const ir_node *n, int depth);

static float_range range_of_extreme(low *l, const ir_bin *n, int depth)
{
    float_range a = range_of(l, n->a, depth + 1), b = range_of(l, n->b, depth + 1);
    float_range r = {.nan = a.nan || b.nan};
    bool least = n->op == IR_MIN;
    r.min = least == (a.min < b.min) ? a.min : b.min;
    r.max = least == (a.max < b.max) ? a.max : b.max;
    return r;
}

static float_range range_of_call(low *l, const ir_call *n, int depth)
{
    float_range a;
    switch ((int)n->fn) {
    case IR_FN_FLOOR:
    case IR_FN_CEIL:
    case IR_FN_TRUNC:
    case IR_FN_ROUND:
    case IR_FN_NEARBYINT:
        a = range_of(l, n->args.at[0], depth + 1);
        return (float_range){floor(a.min), ceil(a.max), a.nan};
    case IR_FN_SIGMOID:
        a = range_of(l, n->args.at[0], depth + 1);
        return (float_range){0, 1, a.nan};
    case IR_FN_SIN:
    case IR_FN_COS:
    case IR_FN_TANH:
    case IR_FN_ERF: return (float_range){-1, 1, true};
    default: return any_float;
    }
}

/* A range that holds every value but NaN, and whether NaN is among them. */
static float_range range_of(low *l, const ir_node *n, int depth)
{
    if (depth > 16) return any_float;
    if (n->kind == IR_BROADCAST) return range_of(l, ir_as_broadcast(n)->a, depth + 1);
    if (n->kind == IR_FLOAT_IMM) {
        double v = ir_as_float_imm(n)->value;
        return isnan(v) ? any_float : (float_range){v, v, false};
    }
    if (n->kind == IR_CALL) return range_of_call(l, ir_as_call(n), depth);
    if (n->kind == IR_BIN && (ir_as_bin(n)->op == IR_MIN || ir_as_bin(n)->op == IR_MAX)) {
        return range_of_extreme(l, ir_as_bin(n), depth);
    }
    if (n->kind == IR_CAST && !ir_type_is_float(ir_as_cast(n)->a->type)) {
        ir_interval i = ir_bound(l->az, ir_as_cast(n)->a);
        float_range r = {(double)i.min, i.max == IR_POS_INF ? 0x1p64 : (double)i.max, false};
        /* Rounding to the float type may pass the end by a little: allow for it. */
        double slack = n->type.bits == 16 ? HUGE_VAL : fmax(fabs(r.min), fabs(r.max)) * 0x1p-23;
        if (fmax(fabs(r.min), fabs(r.max)) <= 2048) slack = 0;
        return (float_range){r.min - slack, r.max + slack, false};
    }
    return any_float;
}

/* ---- Least and most ----------------------------------------------------------------------------- */

static bool constant(const ir_node *n, double *v)
{
    if (n->kind == IR_BROADCAST) n = ir_as_broadcast(n)->a;
    if (n->kind != IR_FLOAT_IMM) return false;
    *v = ir_as_float_imm(n)->value;
    return !isnan(*v);
}

/* One side a constant: a comparison that NaN fails keeps x. Zeros are ordered, -0 below 0. */
static const ir_node *with_constant(low *l, ir_op op, const ir_node *x, const ir_node *c, double value)
{
    bool negative = signbit(value) != 0;
    ir_op compare = op == IR_MAX ? (negative ? IR_LT : IR_LE) : (negative ? IR_GE : IR_GT);
    if (value != 0) compare = op == IR_MAX ? IR_LT : IR_GT;
    x = low_once(l, x, "x");
    return low_select(l, low_bin(l, compare, x, c), c, x);
}

/* MSL's min and max drop a NaN; the IR's keep it. Which zero is given for two of different signs is left
 * open where neither side is constant. */
static const ir_node *extreme(low *l, const ir_bin *n, const ir_node *a, const ir_node *b)
{
    double value;
    bool a_nan = range_of(l, n->a, 0).nan, b_nan = range_of(l, n->b, 0).nan;
    if (!a_nan && !b_nan) return low_bin(l, n->op, a, b);
    if (constant(b, &value)) return with_constant(l, n->op, a, b, value);
    if (constant(a, &value)) return with_constant(l, n->op, b, a, value);
    a = low_once(l, a, "a");
    b = low_once(l, b, "b");
    const ir_node *first = low_bin(l, n->op == IR_MAX ? IR_GT : IR_LT, a, b);
    if (a_nan) first = low_bin(l, IR_OR, first, low_bin(l, IR_NE, a, a));
    return low_select(l, first, a, b);
}

const ir_node *low_float_bin(low *l, const ir_bin *n, const ir_node *a, const ir_node *b)
{
    return n->op == IR_MIN || n->op == IR_MAX ? extreme(l, n, a, b) : low_bin(l, n->op, a, b);
}

/* ---- Conversions -------------------------------------------------------------------------------- */

/* The largest value of the float type that the integer type holds too. */
static double largest_below(ir_type whole, ir_type real)
{
    int digits = real.bits == 16 ? 11 : real.bits == 32 ? 24 : 53, bits = whole.bits - (whole.code == IR_INT);
    double most = bits > digits ? ldexp(1.0, bits) - ldexp(1.0, bits - digits) : ldexp(1.0, bits) - 1;
    return real.bits == 16 && most > 65504 ? 65504 : most;
}

/* Out of range is undefined in C++; here it gives the nearest end, and 0 for NaN. */
static const ir_node *saturated(low *l, ir_type t, const ir_node *a, float_range r)
{
    ir_type real = a->type;
    double most = largest_below(t, real), least = t.code == IR_INT ? -ldexp(1.0, t.bits - 1) : 0;
    a = low_once(l, a, "x");
    const ir_node *out = low_cast(l, t, a);
    /* An unsigned type takes (-1, 0) to 0 by dropping the fraction; -1 itself is out. */
    if (r.min < least) {
        const ir_node *below = low_bin(l, IR_LE, a, low_float(l, real, least));
        out = low_select(l, below, low_const(l, t, ir_type_min(t)), out);
    }
    if (r.max > most) {
        const ir_node *high = low_bin(l, IR_GT, a, low_float(l, real, most));
        int64_t top = t.bits == 64 && t.code == IR_UINT ? -1 : ir_type_max(t);
        out = low_select(l, high, low_const(l, t, top), out);
    }
    if (r.nan) out = low_select(l, low_bin(l, IR_NE, a, a), low_const(l, t, 0), out);
    return out;
}

const ir_node *low_conversion(low *l, const ir_cast *n, const ir_node *a)
{
    ir_type to = n->node.type, from = a->type;
    if (!ir_type_is_float(from) || !ir_type_is_int(to) || from.code != IR_FLOAT) return low_cast(l, to, a);
    float_range r = range_of(l, n->a, 0);
    double most = largest_below(to, from), least = to.code == IR_INT ? -ldexp(1.0, to.bits - 1) : 0;
    if (!r.nan && r.min >= least && r.max <= most) return low_cast(l, to, a);
    return saturated(l, to, a, r);
}
