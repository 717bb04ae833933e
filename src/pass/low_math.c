/* Mathematics that MSL lacks, or has only for easy arguments, in terms of what it has. */
#include "pass/low.h"

#include <math.h>

typedef const ir_node *(*formula)(low *l, const ir_node *x);

static const ir_node *add(low *l, const ir_node *a, const ir_node *b)
{
    return low_bin(l, IR_ADD, a, b);
}

static const ir_node *mul(low *l, const ir_node *a, const ir_node *b)
{
    return low_bin(l, IR_MUL, a, b);
}

static const ir_node *number(low *l, const ir_node *like, double v)
{
    return low_float(l, like->type, v);
}

/* c[0] + x * (c[1] + x * (...)), by fused multiply-add. */
static const ir_node *polynomial(low *l, const ir_node *x, const double *c, size_t n)
{
    const ir_node *p = number(l, x, c[n - 1]);
    for (size_t i = n - 1; i-- > 0;) {
        const ir_node *args[] = {p, x, number(l, x, c[i])};
        p = low_call(l, IR_FN_FMA, x->type, 3, args);
    }
    return p;
}

static const ir_node *fabs_of(low *l, const ir_node *x)
{
    return low_call1(l, IR_FN_FABS, x->type, x);
}

/* ---- Formulas in float32 ------------------------------------------------------------------------ */

/* Below 1: x + x * P(x^2). From there 1 - exp(Q(|x|)), with the argument cut at 4, where erf rounds to 1.
 * Both fitted to the least largest relative error; within 2 units in the last place of float32, given an
 * exact exp. NaN goes through the first form. */
static const ir_node *erf_of(low *l, const ir_node *x)
{
    static const double near[] = {0.12837916612625122, -0.3761262595653534,   0.11283600330352783,
                                  -0.026854444295167923, 0.005189535208046436, -0.0008020841050893068,
                                  7.889119297033176e-05};
    static const double far[] = {0.0001884678058559075, -1.1295802593231201,   -0.633216381072998,
                                 -0.10842210054397583,  0.025210341438651085,  -0.0042052860371768475,
                                 0.00044147291919216514, -2.1697638658224605e-05};
    x = low_once(l, x, "x");
    const ir_node *size = low_once(l, fabs_of(l, x), "size");
    const ir_node *square = low_once(l, mul(l, x, x), "square");
    const ir_node *small[] = {x, polynomial(l, square, near, sizeof near / sizeof *near), x};
    const ir_node *inner = low_call(l, IR_FN_FMA, x->type, 3, small);
    const ir_node *cut = low_once(l, low_bin(l, IR_MIN, size, number(l, x, 4)), "cut");
    const ir_node *fall = low_call1(l, IR_FN_EXP, x->type, polynomial(l, cut, far, sizeof far / sizeof *far));
    const ir_node *outer[] = {low_bin(l, IR_SUB, number(l, x, 1), fall), x};
    const ir_node *beyond = low_bin(l, IR_GE, size, number(l, x, 1));
    return low_select(l, beyond, low_call(l, IR_FN_COPYSIGN, x->type, 2, outer), inner);
}

/* exp of a large argument gives infinity, whose reciprocal is the right 0. */
static const ir_node *sigmoid_of(low *l, const ir_node *x)
{
    const ir_node *e = low_call1(l, IR_FN_EXP, x->type, low_bin(l, IR_SUB, number(l, x, 0), x));
    return low_bin(l, IR_DIV, number(l, x, 1), add(l, number(l, x, 1), e));
}

/* log(u) * x / (u - 1) for u = 1 + x as rounded: the rounding of u cancels. Where u is 1 the answer is x
 * itself, and infinity is its own logarithm. */
static const ir_node *log1p_of(low *l, const ir_node *x)
{
    x = low_once(l, x, "x");
    const ir_node *one = number(l, x, 1), *u = low_once(l, add(l, one, x), "u");
    const ir_node *ratio = low_bin(l, IR_DIV, x, low_bin(l, IR_SUB, u, one));
    const ir_node *value = mul(l, low_call1(l, IR_FN_LOG, x->type, u), ratio);
    const ir_node *plain = low_bin(l, IR_EQ, u, one);
    plain = low_bin(l, IR_OR, plain, low_bin(l, IR_EQ, u, number(l, x, HUGE_VAL)));
    return low_select(l, plain, x, value);
}

/* A tanh built from exp overflows past 44 into NaN; from 10 on the answer is 1 in every type. */
static const ir_node *tanh_of(low *l, const ir_node *x)
{
    x = low_once(l, x, "x");
    const ir_node *one[] = {number(l, x, 1), x};
    const ir_node *far = low_bin(l, IR_GT, fabs_of(l, x), number(l, x, 10));
    return low_select(l, far, low_call(l, IR_FN_COPYSIGN, x->type, 2, one), low_call1(l, IR_FN_TANH, x->type, x));
}

/* Computed in float32 for narrower types, and rounded once at the end. */
static const ir_node *in_float(low *l, const ir_node *x, formula f)
{
    ir_type wide = ir_type_lanes(IR_F32, x->type.lanes);
    return low_cast(l, x->type, f(l, low_cast(l, wide, x)));
}

/* The larger times the root of 1 + the ratio's square, so that nothing overflows on the way; where that one is 0
 * the sum, which is NaN where the other is. Infinity beats NaN, as C's hypot has it. */
static const ir_node *hypot_of(low *l, const ir_node *x, const ir_node *y)
{
    ir_type t = x->type, wide = ir_type_lanes(IR_F32, t.lanes);
    x = low_once(l, fabs_of(l, low_cast(l, wide, x)), "x");
    y = low_once(l, fabs_of(l, low_cast(l, wide, y)), "y");
    const ir_node *infinity = number(l, x, HUGE_VAL);
    const ir_node *big = low_once(l, low_select(l, low_bin(l, IR_GT, x, y), x, y), "big");
    const ir_node *little = low_select(l, low_bin(l, IR_GT, x, y), y, x);
    const ir_node *ratio = low_once(l, low_bin(l, IR_DIV, little, big), "ratio");
    const ir_node *fma[] = {ratio, ratio, number(l, x, 1)};
    const ir_node *root = low_call1(l, IR_FN_SQRT, wide, low_call(l, IR_FN_FMA, wide, 3, fma));
    const ir_node *value = low_select(l, low_bin(l, IR_EQ, big, number(l, x, 0)), add(l, x, y), mul(l, big, root));
    const ir_node *far = low_bin(l, IR_OR, low_bin(l, IR_EQ, x, infinity), low_bin(l, IR_EQ, y, infinity));
    return low_cast(l, t, low_select(l, far, infinity, value));
}

/* ---- By their bits ------------------------------------------------------------------------------ */

static ir_type bits_type(ir_type t)
{
    return low_unsigned(t);
}

/* The bits of infinity. */
static int64_t infinity_bits(ir_type t)
{
    return t.bits == 16 ? 0x7c00 : 0x7f800000;
}

/* The size of a float as bits without the sign: its order is that of the sizes, NaN above infinity. A
 * compiler told that there are no NaNs cannot take such a test away. */
static const ir_node *size_bits(low *l, const ir_node *x)
{
    ir_type u = bits_type(x->type);
    int64_t mask = x->type.bits == 16 ? 0x7fff : 0x7fffffff;
    return low_bin(l, IR_BITAND, low_bits(l, u, x), low_const(l, u, mask));
}

static const ir_node *classified(low *l, ir_builtin fn, const ir_node *x)
{
    const ir_node *infinity = low_const(l, bits_type(x->type), infinity_bits(x->type));
    ir_op op = fn == IR_FN_ISNAN ? IR_GT : fn == IR_FN_ISINF ? IR_EQ : IR_LT;
    return low_bin(l, op, size_bits(l, x), infinity);
}

/* One step up or down in the order of the bits. */
static const ir_node *nextafter_of(low *l, const ir_node *x, const ir_node *y)
{
    ir_type t = x->type, u = bits_type(t);
    x = low_once(l, x, "x");
    y = low_once(l, y, "y");
    const ir_node *zero = number(l, x, 0), *one = low_const(l, u, 1);
    const ir_node *bits = low_once(l, low_bits(l, u, x), "bits");
    const ir_node *outward = low_bin(l, IR_EQ, low_bin(l, IR_LT, x, y), low_bin(l, IR_GT, x, zero));
    const ir_node *step = low_select(l, outward, low_bin(l, IR_ADD, bits, one), low_bin(l, IR_SUB, bits, one));
    const ir_node *least[] = {low_bits(l, t, one), y};
    const ir_node *from_zero = low_call(l, IR_FN_COPYSIGN, t, 2, least);
    const ir_node *value = low_select(l, low_bin(l, IR_EQ, x, zero), from_zero, low_bits(l, t, step));
    value = low_select(l, low_bin(l, IR_EQ, x, y), y, value);
    const ir_node *nan = low_bin(l, IR_OR, low_bin(l, IR_NE, x, x), low_bin(l, IR_NE, y, y));
    return low_select(l, nan, add(l, x, y), value);
}

static const ir_node *abs_of(low *l, const ir_node *x)
{
    ir_type t = x->type;
    if (ir_type_is_float(t)) return fabs_of(l, x);
    if (t.code != IR_INT) return x;
    x = low_once(l, x, "x");
    const ir_node *minus = low_bin(l, IR_SUB, low_const(l, low_unsigned(t), 0), low_cast(l, low_unsigned(t), x));
    return low_select(l, low_bin(l, IR_LT, x, low_const(l, t, 0)), low_cast(l, t, minus), x);
}

/* The exponent is an int in MSL, whatever it is here. */
static const ir_node *ldexp_of(low *l, const ir_call *n)
{
    const ir_node *e = n->args.at[1];
    if (e->type.code == IR_INT && e->type.bits == 32) return &n->node;
    if (e->type.code == IR_INT && e->type.bits > 32) {
        e = low_bin(l, IR_MAX, low_bin(l, IR_MIN, e, low_const(l, e->type, 5000)), low_const(l, e->type, -5000));
    }
    const ir_node *args[] = {n->args.at[0], low_cast(l, ir_type_lanes(IR_I32, e->type.lanes), e)};
    return low_call(l, IR_FN_LDEXP, n->node.type, 2, args);
}

static bool is_plain_float(ir_type t)
{
    return t.code == IR_FLOAT && (t.bits == 16 || t.bits == 32);
}

const ir_node *low_builtin(low *l, const ir_call *n)
{
    if (n->args.n == 0) return &n->node;
    const ir_node *a = n->args.at[0];
    switch ((int)n->fn) {
    case IR_FN_ABS: return abs_of(l, a);
    case IR_FN_LIKELY:
    case IR_FN_THREAD_INVARIANT: return a;
    case IR_FN_SHUFFLE:
    case IR_FN_SHUFFLE_UP:
    case IR_FN_SHUFFLE_DOWN:
    case IR_FN_SHUFFLE_XOR:
    case IR_FN_SIMD_SHUFFLE:
    case IR_FN_SIMD_SHUFFLE_UP:
    case IR_FN_SIMD_SHUFFLE_DOWN:
    case IR_FN_SIMD_SHUFFLE_XOR: return low_shuffle(l, n);
    default: break;
    }
    if (!is_plain_float(a->type)) return &n->node;
    switch ((int)n->fn) {
    case IR_FN_ERF: return in_float(l, a, erf_of);
    case IR_FN_SIGMOID: return in_float(l, a, sigmoid_of);
    case IR_FN_LOG1P: return in_float(l, a, log1p_of);
    case IR_FN_TANH: return tanh_of(l, a);
    case IR_FN_HYPOT: return hypot_of(l, a, n->args.at[1]);
    case IR_FN_NEXTAFTER: return nextafter_of(l, a, n->args.at[1]);
    case IR_FN_LDEXP: return ldexp_of(l, n);
    case IR_FN_ISNAN:
    case IR_FN_ISINF:
    case IR_FN_ISFINITE: return classified(l, n->fn, a);
    default: return &n->node;
    }
}
