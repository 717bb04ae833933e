/* Calls of the standard library that are pure functions of their arguments. */
#include "emu/lower.h"

static emu_node *f_const(lower *l, emu_type t, double v)
{
    return emu_constant_float(l->g, t, v);
}

static bool is_float(emu_type t)
{
    return t >= EMU_F16;
}

static bool is_signed(emu_type t)
{
    return t == EMU_I8 || t == EMU_I16 || t == EMU_I32 || t == EMU_I64;
}

/* Unary functions of float; half and bfloat go by way of it. */
static emu_node *through_float(lower *l, emu_op op, emu_node *const *a, unsigned n)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)a[0]->type;
    emu_node *x = emu_convert(g, EMU_F32, a[0]);
    emu_node *r = n == 1 ? emu_unary(g, op, EMU_F32, x) : emu_binary(g, op, EMU_F32, x, emu_convert(g, EMU_F32, a[1]));
    return emu_convert(g, t, r);
}

static emu_node *fabs_node(lower *l, emu_node *a)
{
    const emu_type t = (emu_type)a->type;
    return emu_binary(l->g, EMU_AND, t, a, emu_constant(l->g, t, t == EMU_F32 ? 0x7fffffff : 0x7fff));
}

static emu_node *binary(lower *l, emu_op op, emu_node *a, emu_node *b)
{
    return emu_binary(l->g, op, (emu_type)a->type, a, b);
}

static emu_node *clamp(lower *l, emu_node *x, emu_node *lo, emu_node *hi)
{
    return binary(l, EMU_MIN, binary(l, EMU_MAX, x, lo), hi);
}

static emu_node *absolute(lower *l, emu_node *a)
{
    const emu_type t = (emu_type)a->type;
    if (is_float(t)) return fabs_node(l, a);
    if (!is_signed(t)) return a;
    emu_node *minus = binary(l, EMU_SUB, emu_constant(l->g, t, 0), a);
    return emu_select(l->g, emu_binary(l->g, EMU_LT, t, a, emu_constant(l->g, t, 0)), minus, a);
}

/* The bits of a float as an unsigned integer. */
static emu_node *bits_of(lower *l, emu_node *a)
{
    return emu_reinterpret(l->g, a->type == EMU_F32 ? EMU_U32 : EMU_U16, a);
}

static emu_node *magnitude_test(lower *l, emu_node *a, emu_op op, bool swap)
{
    static const int64_t infinity[EMU_TYPES] = {[EMU_F16] = 0x7c00, [EMU_BF16] = 0x7f80, [EMU_F32] = 0x7f800000};
    emu_node *m = bits_of(l, fabs_node(l, a));
    emu_node *inf = emu_constant(l->g, (emu_type)m->type, infinity[a->type]);
    return swap ? emu_binary(l->g, op, (emu_type)m->type, inf, m) : emu_binary(l->g, op, (emu_type)m->type, m, inf);
}

static emu_node *is_normal(lower *l, emu_node *a)
{
    static const int64_t least[EMU_TYPES] = {[EMU_F16] = 0x0400, [EMU_BF16] = 0x0080, [EMU_F32] = 0x00800000};
    emu_node *m = bits_of(l, fabs_node(l, a));
    emu_node *enough = emu_binary(l->g, EMU_LE, (emu_type)m->type, emu_constant(l->g, (emu_type)m->type, least[a->type]), m);
    return emu_binary(l->g, EMU_AND, EMU_BOOL, enough, magnitude_test(l, a, EMU_LT, false));
}

static emu_node *sign_bit(lower *l, emu_node *a)
{
    emu_node *b = bits_of(l, a);
    return emu_binary(l->g, EMU_NE, (emu_type)b->type,
                      binary(l, EMU_AND, b, emu_constant(l->g, (emu_type)b->type, a->type == EMU_F32 ? 0x80000000 : 0x8000)),
                      emu_constant(l->g, (emu_type)b->type, 0));
}

static emu_node *copy_sign(lower *l, emu_node *a, emu_node *b)
{
    const emu_type t = (emu_type)a->type;
    emu_node *sign = emu_constant(l->g, t, t == EMU_F32 ? 0x80000000 : 0x8000);
    return binary(l, EMU_OR, fabs_node(l, a), binary(l, EMU_AND, b, sign));
}

/* 1, -1, a zero of the same sign, 0 for NaN. */
static emu_node *sign(lower *l, emu_node *a)
{
    const emu_type t = (emu_type)a->type;
    emu_graph *g = l->g;
    emu_node *zero = f_const(l, t, 0);
    emu_node *r = emu_select(g, emu_binary(g, EMU_EQ, t, a, zero), a, zero);
    r = emu_select(g, emu_binary(g, EMU_LT, t, zero, a), f_const(l, t, 1), r);
    return emu_select(g, emu_binary(g, EMU_LT, t, a, zero), f_const(l, t, -1), r);
}

static emu_node *smoothstep(lower *l, emu_node *e0, emu_node *e1, emu_node *x)
{
    const emu_type t = (emu_type)x->type;
    emu_node *u = binary(l, EMU_DIV, binary(l, EMU_SUB, x, e0), binary(l, EMU_SUB, e1, e0));
    u = clamp(l, u, f_const(l, t, 0), f_const(l, t, 1));
    emu_node *v = binary(l, EMU_SUB, f_const(l, t, 3), binary(l, EMU_MUL, f_const(l, t, 2), u));
    return binary(l, EMU_MUL, binary(l, EMU_MUL, u, u), v);
}

static emu_node *median(lower *l, emu_node *a, emu_node *b, emu_node *c)
{
    return binary(l, EMU_MAX, binary(l, EMU_MIN, a, b), binary(l, EMU_MIN, binary(l, EMU_MAX, a, b), c));
}

/* x - floor(x), below 1 even where the difference would round to it. */
static emu_node *fract(lower *l, emu_node *a)
{
    emu_graph *g = l->g;
    emu_node *x = emu_convert(g, EMU_F32, a);
    emu_node *r = emu_binary(g, EMU_SUB, EMU_F32, x, emu_unary(g, EMU_FLOOR, EMU_F32, x));
    emu_node *most = emu_constant(g, (emu_type)a->type, a->type == EMU_F32 ? 0x3f7fffff : a->type == EMU_F16 ? 0x3bff : 0x3f7f);
    r = emu_convert(g, (emu_type)a->type, r);
    /* NaN stays: the minimum would drop it */
    return emu_select(g, emu_binary(g, EMU_LT, (emu_type)a->type, most, r), most, r);
}

/* Integers. */

static emu_node *int_const(lower *l, emu_node *like, int64_t v)
{
    return emu_constant(l->g, (emu_type)like->type, v);
}

static emu_node *least_of(lower *l, emu_type t)
{
    return emu_constant(l->g, t, is_signed(t) ? INT64_MIN >> (64 - 8 * emu_type_size(t)) : 0);
}

static emu_node *most_of(lower *l, emu_type t)
{
    const unsigned bits = 8 * emu_type_size(t);
    return emu_constant(l->g, t, is_signed(t) ? (int64_t)(UINT64_MAX >> (65 - bits)) : (int64_t)(UINT64_MAX >> (64 - bits)));
}

/* Sum or difference, held at the ends of the range. */
static emu_node *saturating(lower *l, emu_op op, emu_node *a, emu_node *b)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)a->type;
    emu_node *r = binary(l, op, a, b);
    if (!is_signed(t)) {
        if (op == EMU_ADD) return emu_select(g, emu_binary(g, EMU_LT, t, r, a), most_of(l, t), r);
        return emu_select(g, emu_binary(g, EMU_LT, t, a, b), int_const(l, a, 0), r);
    }
    /* overflow: for a sum where r differs in sign from both, for a difference where a differs from b and from r */
    emu_node *x = binary(l, EMU_XOR, a, r);
    emu_node *y = op == EMU_ADD ? binary(l, EMU_XOR, b, r) : binary(l, EMU_XOR, a, b);
    emu_node *over = emu_binary(g, EMU_LT, t, binary(l, EMU_AND, x, y), int_const(l, a, 0));
    emu_node *end = emu_select(g, emu_binary(g, EMU_LT, t, a, int_const(l, a, 0)), least_of(l, t), most_of(l, t));
    return emu_select(g, over, end, r);
}

/* a * b + c, kept in range: the high half says whether the low one is all of it. */
static emu_node *saturating_product_sum(lower *l, emu_node *a, emu_node *b, emu_node *c)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)a->type;
    static const emu_type plain[9] = {[1] = EMU_U8, [2] = EMU_U16, [4] = EMU_U32, [8] = EMU_U64};
    const emu_type u = plain[emu_type_size(t)];
    emu_node *low = binary(l, EMU_MUL, a, b), *high = binary(l, EMU_MULHI, a, b), *sum = binary(l, EMU_ADD, low, c);
    emu_node *zero = int_const(l, a, 0), *one = int_const(l, a, 1);
    emu_node *carried = emu_binary(g, EMU_LT, u, emu_reinterpret(g, u, sum), emu_reinterpret(g, u, low));
    high = emu_select(g, carried, binary(l, EMU_ADD, high, one), high);
    if (!is_signed(t)) return emu_select(g, emu_binary(g, EMU_EQ, t, high, zero), sum, most_of(l, t));
    high = emu_select(g, emu_binary(g, EMU_LT, t, c, zero), binary(l, EMU_SUB, high, one), high);
    emu_node *sign = emu_select(g, emu_binary(g, EMU_LT, t, sum, zero), int_const(l, a, -1), zero);
    emu_node *end = emu_select(g, emu_binary(g, EMU_LT, t, high, zero), least_of(l, t), most_of(l, t));
    return emu_select(g, emu_binary(g, EMU_EQ, t, high, sign), sum, end);
}

/* (a + b) >> 1 without overflow; rounded up where asked. */
static emu_node *half_sum(lower *l, emu_node *a, emu_node *b, bool up)
{
    emu_node *common = up ? binary(l, EMU_OR, a, b) : binary(l, EMU_AND, a, b);
    emu_node *half = binary(l, EMU_SHR, binary(l, EMU_XOR, a, b), int_const(l, a, 1));
    return binary(l, up ? EMU_SUB : EMU_ADD, common, half);
}

static emu_node *rotate(lower *l, emu_node *a, emu_node *by)
{
    emu_graph *g = l->g;
    static const emu_type plain[9] = {[1] = EMU_U8, [2] = EMU_U16, [4] = EMU_U32, [8] = EMU_U64};
    const emu_type u = plain[emu_type_size((emu_type)a->type)];
    emu_node *x = emu_reinterpret(g, u, a), *n = emu_reinterpret(g, u, by);
    emu_node *back = emu_binary(g, EMU_SUB, u, emu_constant(g, u, 0), n);
    emu_node *r = emu_binary(g, EMU_OR, u, emu_binary(g, EMU_SHL, u, x, n), emu_binary(g, EMU_SHR, u, x, back));
    return emu_reinterpret(g, (emu_type)a->type, r);
}

static emu_node *absolute_difference(lower *l, emu_node *a, emu_node *b)
{
    static const emu_type plain[9] = {[1] = EMU_U8, [2] = EMU_U16, [4] = EMU_U32, [8] = EMU_U64};
    emu_node *less = emu_binary(l->g, EMU_LT, (emu_type)a->type, a, b);
    emu_node *r = emu_select(l->g, less, binary(l, EMU_SUB, b, a), binary(l, EMU_SUB, a, b));
    return emu_reinterpret(l->g, plain[emu_type_size((emu_type)a->type)], r);
}

/* A mask of `bits` ones in a's type; all ones where that is the width or more. */
static emu_node *ones(lower *l, emu_node *like, emu_node *bits)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)like->type;
    const int64_t width = 8 * emu_type_size(t);
    emu_node *all = emu_binary(g, EMU_LE, EMU_U32, emu_constant(g, EMU_U32, width), bits);
    emu_node *one = binary(l, EMU_SHL, int_const(l, like, 1), emu_convert(g, t, bits));
    return emu_select(g, all, int_const(l, like, -1), binary(l, EMU_SUB, one, int_const(l, like, 1)));
}

static emu_node *extract_bits(lower *l, emu_node *a, emu_node *offset, emu_node *bits)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)a->type;
    const int64_t width = 8 * emu_type_size(t);
    if (!is_signed(t)) return binary(l, EMU_AND, binary(l, EMU_SHR, a, emu_convert(g, t, offset)), ones(l, a, bits));
    /* up to the top, and down again with the sign */
    emu_node *total = emu_constant(g, EMU_U32, width);
    emu_node *up = emu_binary(g, EMU_SUB, EMU_U32, total, emu_binary(g, EMU_ADD, EMU_U32, offset, bits));
    emu_node *down = emu_binary(g, EMU_SUB, EMU_U32, total, bits);
    emu_node *r = binary(l, EMU_SHR, binary(l, EMU_SHL, a, emu_convert(g, t, up)), emu_convert(g, t, down));
    return emu_select(g, emu_binary(g, EMU_EQ, EMU_U32, bits, emu_constant(g, EMU_U32, 0)), int_const(l, a, 0), r);
}

static emu_node *insert_bits(lower *l, emu_node *base, emu_node *insert, emu_node *offset, emu_node *bits)
{
    emu_node *shift = emu_convert(l->g, (emu_type)base->type, offset);
    emu_node *mask = binary(l, EMU_SHL, ones(l, base, bits), shift);
    emu_node *kept = binary(l, EMU_AND, base, binary(l, EMU_XOR, mask, int_const(l, base, -1)));
    return binary(l, EMU_OR, kept, binary(l, EMU_AND, binary(l, EMU_SHL, insert, shift), mask));
}

/* The element-wise functions. a holds the arguments' elements. */
/* The next number of 16 bits towards another: its bits, one up or down. */
static emu_node *next_small(lower *l, emu_node *x, emu_node *to)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)x->type;
    emu_node *bits = emu_reinterpret(g, EMU_I16, x), *zero = emu_constant(g, EMU_I16, 0), *one = emu_constant(g, EMU_I16, 1);
    emu_node *up = emu_binary(g, EMU_LT, t, x, to), *positive = emu_binary(g, EMU_LE, EMU_I16, zero, bits);
    emu_node *away = emu_binary(g, EMU_EQ, EMU_BOOL, up, positive);
    emu_node *next = emu_binary(g, EMU_ADD, EMU_I16, bits, emu_select(g, away, one, emu_constant(g, EMU_I16, -1)));
    emu_node *least = emu_select(g, up, one, emu_constant(g, EMU_I16, INT16_MIN + 1));
    next = emu_select(g, emu_binary(g, EMU_EQ, t, x, f_const(l, t, 0)), least, next);
    next = emu_select(g, emu_binary(g, EMU_EQ, t, x, to), emu_reinterpret(g, EMU_I16, to), next);
    emu_node *ordered = emu_binary(g, EMU_AND, EMU_BOOL, emu_binary(g, EMU_EQ, t, x, x), emu_binary(g, EMU_EQ, t, to, to));
    return emu_select(g, ordered, emu_reinterpret(g, t, next), emu_binary(g, EMU_ADD, t, x, to));
}

static emu_node *element_math(lower *l, const mf_expr *e, emu_node *const *a);

static emu_node *element_integer_of(lower *l, const mf_expr *e, emu_node *const *a)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)a[0]->type;
    switch ((int)e->builtin) {
    case MF_FN_ABSDIFF: return absolute_difference(l, a[0], a[1]);
    case MF_FN_ADDSAT: return saturating(l, EMU_ADD, a[0], a[1]);
    case MF_FN_MADSAT: return saturating_product_sum(l, a[0], a[1], a[2]);
    case MF_FN_SUBSAT: return saturating(l, EMU_SUB, a[0], a[1]);
    case MF_FN_CLZ: return emu_unary(g, EMU_CLZ, t, a[0]);
    case MF_FN_CTZ: return emu_unary(g, EMU_CTZ, t, a[0]);
    case MF_FN_POPCOUNT: return emu_unary(g, EMU_POPCOUNT, t, a[0]);
    case MF_FN_REVERSE_BITS: return emu_unary(g, EMU_REVERSE, t, a[0]);
    case MF_FN_EXTRACT_BITS: return extract_bits(l, a[0], a[1], a[2]);
    case MF_FN_INSERT_BITS: return insert_bits(l, a[0], a[1], a[2], a[3]);
    case MF_FN_HADD: return half_sum(l, a[0], a[1], false);
    case MF_FN_RHADD: return half_sum(l, a[0], a[1], true);
    case MF_FN_MAD24: return binary(l, EMU_ADD, binary(l, EMU_MUL, a[0], a[1]), a[2]);
    case MF_FN_MUL24: return binary(l, EMU_MUL, a[0], a[1]);
    case MF_FN_MULHI: return binary(l, EMU_MULHI, a[0], a[1]);
    case MF_FN_MADHI: return binary(l, EMU_ADD, binary(l, EMU_MULHI, a[0], a[1]), a[2]);
    case MF_FN_ROTATE: return rotate(l, a[0], a[1]);
    case MF_FN_ISFINITE: return magnitude_test(l, a[0], EMU_LT, false);
    case MF_FN_ISINF: return magnitude_test(l, a[0], EMU_EQ, false);
    case MF_FN_ISNAN: return emu_binary(g, EMU_NE, t, a[0], a[0]);
    case MF_FN_ISNORMAL: return is_normal(l, a[0]);
    case MF_FN_ISORDERED:
        return emu_binary(g, EMU_AND, EMU_BOOL, emu_binary(g, EMU_EQ, t, a[0], a[0]), emu_binary(g, EMU_EQ, t, a[1], a[1]));
    case MF_FN_ISUNORDERED:
        return emu_binary(g, EMU_OR, EMU_BOOL, emu_binary(g, EMU_NE, t, a[0], a[0]), emu_binary(g, EMU_NE, t, a[1], a[1]));
    case MF_FN_SELECT: return emu_select(g, a[2], a[1], a[0]);
    case MF_FN_SIGNBIT: return sign_bit(l, a[0]);
    default: return element_math(l, e, a);
    }
}

/* What these are made of here is not the text's: shifts by the width are the library's own. */
static emu_node *element_integer(lower *l, const mf_expr *e, emu_node *const *a)
{
    l->g->trusted = a[0]->type < EMU_F16;
    emu_node *r = element_integer_of(l, e, a);
    l->g->trusted = false;
    return r;
}

static emu_node *element_common(lower *l, const mf_expr *e, emu_node *const *a)
{
    emu_graph *g = l->g;
    const emu_type t = (emu_type)a[0]->type;
    switch ((int)e->builtin) {
    case MF_FN_ABS: return absolute(l, a[0]);
    case MF_FN_FABS: return fabs_node(l, a[0]);
    case MF_FN_CLAMP: return clamp(l, a[0], a[1], a[2]);
    case MF_FN_MAX:
    case MF_FN_FMAX: return binary(l, EMU_MAX, a[0], a[1]);
    case MF_FN_MIN:
    case MF_FN_FMIN: return binary(l, EMU_MIN, a[0], a[1]);
    case MF_FN_MAX3:
    case MF_FN_FMAX3: return binary(l, EMU_MAX, binary(l, EMU_MAX, a[0], a[1]), a[2]);
    case MF_FN_MIN3:
    case MF_FN_FMIN3: return binary(l, EMU_MIN, binary(l, EMU_MIN, a[0], a[1]), a[2]);
    case MF_FN_MEDIAN3:
    case MF_FN_FMEDIAN3: return median(l, a[0], a[1], a[2]);
    case MF_FN_MIX: return binary(l, EMU_ADD, a[0], binary(l, EMU_MUL, binary(l, EMU_SUB, a[1], a[0]), a[2]));
    case MF_FN_SATURATE: return clamp(l, a[0], f_const(l, t, 0), f_const(l, t, 1));
    case MF_FN_SIGN: return sign(l, a[0]);
    case MF_FN_SMOOTHSTEP: return smoothstep(l, a[0], a[1], a[2]);
    case MF_FN_STEP: return emu_select(g, emu_binary(g, EMU_LT, t, a[1], a[0]), f_const(l, t, 0), f_const(l, t, 1));
    case MF_FN_COPYSIGN: return copy_sign(l, a[0], a[1]);
    case MF_FN_DIVIDE: return binary(l, EMU_DIV, a[0], a[1]);
    case MF_FN_FDIM: {
        /* NaN where either is */
        emu_node *d = binary(l, EMU_SUB, a[0], a[1]);
        return emu_select(g, emu_binary(g, EMU_LE, t, a[0], a[1]), f_const(l, t, 0), d);
    }
    case MF_FN_FMA: return emu_ternary(g, EMU_FMA, t, a[0], a[1], a[2]);
    case MF_FN_FRACT: return fract(l, a[0]);
    default: return element_integer(l, e, a);
    }
}

static emu_op math_op(mf_builtin b)
{
    static const uint8_t ops[MF_BUILTINS] = {
        [MF_FN_ACOS] = EMU_ACOS,   [MF_FN_ACOSH] = EMU_ACOSH, [MF_FN_ASIN] = EMU_ASIN,   [MF_FN_ASINH] = EMU_ASINH,
        [MF_FN_ATAN] = EMU_ATAN,   [MF_FN_ATAN2] = EMU_ATAN2, [MF_FN_ATANH] = EMU_ATANH, [MF_FN_CEIL] = EMU_CEIL,
        [MF_FN_COS] = EMU_COS,     [MF_FN_COSH] = EMU_COSH,   [MF_FN_COSPI] = EMU_COSPI, [MF_FN_EXP] = EMU_EXP,
        [MF_FN_EXP10] = EMU_EXP10, [MF_FN_EXP2] = EMU_EXP2,   [MF_FN_FLOOR] = EMU_FLOOR, [MF_FN_FMOD] = EMU_FMOD,
        [MF_FN_LOG] = EMU_LOG,     [MF_FN_LOG10] = EMU_LOG10, [MF_FN_LOG2] = EMU_LOG2,   [MF_FN_POW] = EMU_POW,
        [MF_FN_POWR] = EMU_POW,    [MF_FN_RINT] = EMU_RINT,   [MF_FN_ROUND] = EMU_ROUND, [MF_FN_RSQRT] = EMU_RSQRT,
        [MF_FN_SIN] = EMU_SIN,     [MF_FN_SINH] = EMU_SINH,   [MF_FN_SINPI] = EMU_SINPI, [MF_FN_SQRT] = EMU_SQRT,
        [MF_FN_TAN] = EMU_TAN,     [MF_FN_TANH] = EMU_TANH,   [MF_FN_TANPI] = EMU_TANPI, [MF_FN_TRUNC] = EMU_TRUNC,
    };
    return (emu_op)ops[b];
}

static emu_node *element_math(lower *l, const mf_expr *e, emu_node *const *a)
{
    emu_graph *g = l->g;
    const emu_op op = math_op(e->builtin);
    if (op != EMU_NOP) {
        g->precise = e->math == MF_MATH_PRECISE;
        emu_node *r = through_float(l, op, a, e->arg_count);
        g->precise = false;
        return r;
    }
    const emu_type t = (emu_type)a[0]->type;
    emu_node *x = emu_convert(g, EMU_F32, a[0]);
    if (e->builtin == MF_FN_ILOGB) return emu_unary(g, EMU_ILOGB, EMU_F32, x);
    if (e->builtin == MF_FN_LDEXP) return emu_convert(g, t, emu_binary(g, EMU_LDEXP, EMU_F32, x, a[1]));
    if (e->builtin == MF_FN_NEXTAFTER && t == EMU_F32) return emu_binary(g, EMU_NEXTAFTER, EMU_F32, a[0], a[1]);
    if (e->builtin == MF_FN_NEXTAFTER) return next_small(l, a[0], a[1]);
    lower_refuse(l, e->at, "'%s' is not supported for this type", mf_builtin_name(e->builtin));
    return a[0];
}

/* Geometry: sums over elements, left to right. */

static emu_node *dot(lower *l, val a, val b)
{
    emu_node *s = binary(l, EMU_MUL, a.at[0], b.at[0]);
    for (size_t i = 1; i < a.n; ++i) s = binary(l, EMU_ADD, s, binary(l, EMU_MUL, a.at[i], b.at[i]));
    return s;
}

static val single(lower *l, emu_node *n)
{
    val v = lower_val(l, 1);
    v.at[0] = n;
    return v;
}

static val scaled(lower *l, val v, emu_node *by)
{
    val r = lower_val(l, v.n);
    for (size_t i = 0; i < v.n; ++i) r.at[i] = binary(l, EMU_MUL, v.at[i], by);
    return r;
}

static val minus(lower *l, val a, val b)
{
    val r = lower_val(l, a.n);
    for (size_t i = 0; i < a.n; ++i) r.at[i] = binary(l, EMU_SUB, a.at[i], b.at[i]);
    return r;
}

static emu_node *root(lower *l, emu_op op, emu_node *a)
{
    return through_float(l, op, &a, 1);
}

static val cross(lower *l, val a, val b)
{
    val r = lower_val(l, 3);
    for (size_t i = 0; i < 3; ++i) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        r.at[i] = binary(l, EMU_SUB, binary(l, EMU_MUL, a.at[j], b.at[k]), binary(l, EMU_MUL, a.at[k], b.at[j]));
    }
    return r;
}

/* eta i - (eta n.i + sqrt(k)) n with k = 1 - eta eta (1 - n.i n.i); zero where k is negative. */
static val refract(lower *l, val i, val n, emu_node *eta)
{
    const emu_type t = (emu_type)eta->type;
    emu_node *d = dot(l, n, i), *one = f_const(l, t, 1);
    emu_node *rest = binary(l, EMU_SUB, one, binary(l, EMU_MUL, d, d));
    emu_node *k = binary(l, EMU_SUB, one, binary(l, EMU_MUL, binary(l, EMU_MUL, eta, eta), rest));
    emu_node *by = binary(l, EMU_ADD, binary(l, EMU_MUL, eta, d), root(l, EMU_SQRT, k));
    emu_node *none = emu_binary(l->g, EMU_LT, t, k, f_const(l, t, 0));
    val r = minus(l, scaled(l, i, eta), scaled(l, n, by));
    for (size_t e = 0; e < r.n; ++e) r.at[e] = emu_select(l->g, none, f_const(l, t, 0), r.at[e]);
    return r;
}

static val geometric(lower *l, const mf_expr *e, const val *a)
{
    const emu_type t = (emu_type)a[0].at[0]->type;
    switch ((int)e->builtin) {
    case MF_FN_DOT: return single(l, dot(l, a[0], a[1]));
    case MF_FN_CROSS: return cross(l, a[0], a[1]);
    case MF_FN_LENGTH: return single(l, root(l, EMU_SQRT, dot(l, a[0], a[0])));
    case MF_FN_LENGTH_SQUARED: return single(l, dot(l, a[0], a[0]));
    case MF_FN_DISTANCE: {
        const val d = minus(l, a[0], a[1]);
        return single(l, root(l, EMU_SQRT, dot(l, d, d)));
    }
    case MF_FN_DISTANCE_SQUARED: {
        const val d = minus(l, a[0], a[1]);
        return single(l, dot(l, d, d));
    }
    case MF_FN_NORMALIZE: return scaled(l, a[0], root(l, EMU_RSQRT, dot(l, a[0], a[0])));
    case MF_FN_REFLECT: {
        emu_node *twice = binary(l, EMU_MUL, f_const(l, t, 2), dot(l, a[1], a[0]));
        return minus(l, a[0], scaled(l, a[1], twice));
    }
    case MF_FN_REFRACT: return refract(l, a[0], a[1], a[2].at[0]);
    case MF_FN_FACEFORWARD: {
        emu_node *front = emu_binary(l->g, EMU_LT, t, dot(l, a[1], a[2]), f_const(l, t, 0));
        val r = lower_val(l, a[0].n);
        for (size_t i = 0; i < r.n; ++i)
            r.at[i] = emu_select(l->g, front, a[0].at[i], binary(l, EMU_MUL, a[0].at[i], f_const(l, t, -1)));
        return r;
    }
    case MF_FN_ALL:
    case MF_FN_ANY: {
        emu_node *r = a[0].at[0];
        for (size_t i = 1; i < a[0].n; ++i)
            r = emu_binary(l->g, e->builtin == MF_FN_ALL ? EMU_AND : EMU_OR, EMU_BOOL, r, a[0].at[i]);
        return single(l, r);
    }
    default: return (val){NULL, 0, NULL};
    }
}

/* Functions with a second result: f(x, thread T &out). */
static val two_results(lower *l, const mf_expr *e)
{
    emu_graph *g = l->g;
    const val a = lower_eval(l, e->args[0]);
    const place out = lower_place(l, e->args[1]);
    val first = lower_val(l, a.n), second = lower_val(l, a.n);
    for (size_t i = 0; i < a.n; ++i) {
        const emu_type t = (emu_type)a.at[i]->type;
        emu_node *x = emu_convert(g, EMU_F32, a.at[i]);
        emu_node *f, *s;
        if (e->builtin == MF_FN_SINCOS) {
            f = emu_unary(g, EMU_SIN, EMU_F32, x);
            s = emu_unary(g, EMU_COS, EMU_F32, x);
        } else if (e->builtin == MF_FN_MODF) {
            s = emu_unary(g, EMU_TRUNC, EMU_F32, x);
            f = copy_sign(l, emu_select(g, emu_binary(g, EMU_EQ, EMU_F32, s, x), f_const(l, EMU_F32, 0),
                                        emu_binary(g, EMU_SUB, EMU_F32, x, s)), x);
        } else {
            f = emu_unary(g, EMU_FREXP, EMU_F32, x);
            s = emu_unary(g, EMU_FREXPE, EMU_F32, x);
        }
        first.at[i] = emu_convert(g, t, f);
        second.at[i] = e->builtin == MF_FN_FREXP ? s : emu_convert(g, t, s);
    }
    lower_write(l, out, second, e->at);
    return first;
}

val lower_builtin(lower *l, const mf_expr *e)
{
    const unsigned traits = mf_builtin_traits(e->builtin);
    if ((traits & MF_ATOMIC) != 0) return lower_atomic(l, e);
    if ((traits & MF_TEXTURE) != 0) return lower_texture(l, e);
    if (e->builtin == MF_FN_OS_LOG) return lower_log(l, e);
    const val packed = lower_pack(l, e);
    if (packed.n != 0) return packed;
    if ((traits & (MF_CROSS_LANE | MF_BARRIER)) != 0) return lower_cross(l, e);
    if (e->builtin == MF_FN_MAKE_FILLED_SIMDGROUP_MATRIX) return lower_matrix_call(l, e);
    if (e->builtin == MF_FN_SINCOS || e->builtin == MF_FN_MODF || e->builtin == MF_FN_FREXP) return two_results(l, e);
    val a[4] = {{NULL, 0, NULL}};
    if ((traits & MF_PURE) == 0 || e->arg_count > 4 || e->arg_count == 0) {
        lower_refuse(l, e->at, "'%s' is not supported", mf_builtin_name(e->builtin));
        return lower_zero(l, e->type);
    }
    size_t n = 0;
    for (uint32_t i = 0; i < e->arg_count; ++i) {
        a[i] = lower_eval(l, e->args[i]);
        if (a[i].n > n) n = a[i].n;
    }
    l->g->at = e->at;
    const val geometry = geometric(l, e, a);
    if (geometry.n != 0) return geometry;
    val r = lower_val(l, n);
    for (size_t i = 0; i < n; ++i) {
        emu_node *in[4] = {NULL};
        for (uint32_t k = 0; k < e->arg_count; ++k) in[k] = a[k].n == 0 ? NULL : a[k].at[a[k].n == 1 ? 0 : i];
        r.at[i] = element_common(l, e, in);
    }
    return r;
}
