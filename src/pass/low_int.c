/* Integer operators in terms of what MSL defines: division, shifts and wrapping for every value. */
#include "pass/low.h"

#include "ir/linear.h"

static bool is_signed(ir_type t)
{
    return t.code == IR_INT;
}

/* k where c is 2^k; -1 where it is no power of two. */
static int log2_of(int64_t c)
{
    if (c <= 0 || (c & (c - 1)) != 0) return -1;
    int k = 0;
    while ((int64_t)1 << k != c) ++k;
    return k;
}

static bool splat(const ir_node *n, int64_t *c)
{
    return ir_const_value(n->kind == IR_BROADCAST ? ir_as_broadcast(n)->a : n, c);
}

/* ---- Wrapping ----------------------------------------------------------------------------------- */

/* On the unsigned type, without casting there and back again. */
static const ir_node *as_unsigned(low *l, const ir_node *e)
{
    ir_type u = low_unsigned(e->type);
    if (e->kind == IR_CAST && ir_type_eq(ir_as_cast(e)->a->type, u)) return ir_as_cast(e)->a;
    return low_cast(l, u, e);
}

/* Is overflow out of the question, or the program's own fault? */
static bool stays_plain(low *l, const ir_bin *n)
{
    return l->place == LOW_ADDRESS || ir_bin_exact(l->az, n);
}

/* + - *: C++ leaves signed overflow undefined, the IR wraps. */
static const ir_node *wrapped(low *l, const ir_bin *n, const ir_node *a, const ir_node *b)
{
    ir_type t = n->node.type;
    bool narrow = t.bits < 32 && t.lanes == 1;
    int64_t c;
    if (n->op == IR_MUL && t.lanes == 1 && splat(b, &c) && c == ir_type_wrap(t, -1)) {
        const ir_node *x = !is_signed(t) || narrow || stays_plain(l, n) ? a : as_unsigned(l, a);
        return low_cast(l, t, low_bin(l, IR_SUB, low_const(l, x->type, 0), x));
    }
    if (narrow && t.code == IR_UINT && n->op == IR_MUL && t.bits == 16) {
        /* C++ multiplies as int, where 65535 * 65535 overflows. */
        return low_cast(l, t, low_bin(l, IR_MUL, low_cast(l, IR_U32, a), low_cast(l, IR_U32, b)));
    }
    if (!is_signed(t) || narrow || stays_plain(l, n)) return low_bin(l, n->op, a, b);
    return low_cast(l, t, low_bin(l, n->op, as_unsigned(l, a), as_unsigned(l, b)));
}

/* ---- Division ----------------------------------------------------------------------------------- */

/* A divisor that neither traps nor overflows: 1 in place of 0 (so that x / 0 is x and x % 0 is 0), and 1 in
 * place of -1 under the least value (whose quotient wraps to itself). */
static const ir_node *safe_divisor(low *l, const ir_bin *n, const ir_node **a, const ir_node *b)
{
    ir_type t = n->node.type;
    ir_interval x = ir_bound(l->az, n->a), d = ir_bound(l->az, n->b);
    int64_t c;
    bool constant = splat(b, &c);
    bool zero = constant ? c == 0 : d.min <= 0 && d.max >= 0;
    bool minus = is_signed(t) && (constant ? c == -1 : d.min <= -1 && d.max >= -1) && x.min <= ir_type_min(t);
    /* Narrow scalars are divided as int, where the quotient has room. */
    if (t.bits < 32 && t.lanes == 1) minus = false;
    if (!zero && !minus) return b;
    b = low_once(l, b, "divisor");
    const ir_node *bad = zero ? low_bin(l, IR_EQ, b, low_const(l, t, 0)) : NULL;
    if (minus) {
        *a = low_once(l, *a, "dividend");
        const ir_node *least = low_bin(l, IR_EQ, *a, low_const(l, t, ir_type_min(t)));
        const ir_node *both = low_bin(l, IR_AND, least, low_bin(l, IR_EQ, b, low_const(l, t, -1)));
        bad = bad != NULL ? low_bin(l, IR_OR, bad, both) : both;
    }
    return low_select(l, bad, low_const(l, t, 1), b);
}

static const ir_node *by_power_of_two(low *l, bool mod, const ir_node *a, int64_t c)
{
    ir_type t = a->type;
    if (mod) return low_bin(l, IR_BITAND, a, low_const(l, t, c - 1));
    return c == 1 ? a : low_bin(l, IR_SHR, a, low_const(l, t, log2_of(c)));
}

/* Floor of a / c for a >= least: shifted up by a multiple of c, so that the dividend is not negative. NULL
 * where that could overflow. */
static const ir_node *shifted(low *l, bool mod, const ir_node *a, ir_interval x, int64_t c)
{
    ir_type t = a->type;
    if (x.min == IR_NEG_INF || x.max == IR_POS_INF || x.min < -INT32_MAX || c > INT32_MAX) return NULL;
    int64_t k = (-x.min + c - 1) / c;
    if (k * c > ir_type_max(t) - (x.max > 0 ? x.max : 0)) return NULL;
    const ir_node *up = low_bin(l, IR_ADD, a, low_const(l, t, k * c)), *by = low_const(l, t, c);
    if (mod) return low_bin(l, IR_TRUNCMOD, up, by);
    return low_bin(l, IR_SUB, low_bin(l, IR_TRUNCDIV, up, by), low_const(l, t, k));
}

/* Divisor above 0, dividend of any sign: a remainder below 0 (its sign bit spread is -1) says that the
 * quotient was rounded up. */
static const ir_node *by_positive(low *l, bool mod, const ir_node *a, const ir_node *b)
{
    ir_type t = a->type;
    a = low_once(l, a, "dividend");
    b = low_once(l, b, "divisor");
    const ir_node *rest = low_bin(l, IR_TRUNCMOD, a, b);
    if (mod) rest = low_once(l, rest, "rest");
    const ir_node *sign = low_bin(l, IR_SHR, rest, low_const(l, t, t.bits - 1));
    if (mod) return low_bin(l, IR_ADD, rest, low_bin(l, IR_BITAND, b, sign));
    return low_bin(l, IR_ADD, low_bin(l, IR_TRUNCDIV, a, b), sign);
}

static const ir_node *by_any(low *l, bool mod, const ir_node *a, const ir_node *b)
{
    ir_type t = a->type;
    const ir_node *zero = low_const(l, t, 0);
    a = low_once(l, a, "dividend");
    b = low_once(l, b, "divisor");
    const ir_node *rest = low_once(l, low_bin(l, IR_TRUNCMOD, a, b), "rest");
    const ir_node *differ = low_bin(l, IR_LT, low_bin(l, IR_BITXOR, rest, b), zero);
    const ir_node *up = low_bin(l, IR_AND, low_bin(l, IR_NE, rest, zero), differ);
    if (mod) return low_bin(l, IR_ADD, rest, low_select(l, up, b, zero));
    const ir_node *one = low_select(l, up, low_const(l, t, 1), zero);
    return low_bin(l, IR_SUB, low_bin(l, IR_TRUNCDIV, a, b), one);
}

static const ir_node *divided(low *l, const ir_bin *n, const ir_node *a, const ir_node *b)
{
    bool floors = n->op == IR_FLOORDIV || n->op == IR_FLOORMOD, mod = n->op == IR_FLOORMOD || n->op == IR_TRUNCMOD;
    ir_op trunc = mod ? IR_TRUNCMOD : IR_TRUNCDIV;
    ir_interval x = ir_bound(l->az, n->a), d = ir_bound(l->az, n->b);
    bool unsigned_type = !is_signed(n->node.type), never_negative = unsigned_type || x.min >= 0;
    int64_t c;
    bool constant = splat(b, &c), positive = constant ? c > 0 : d.min > 0;
    if (constant && log2_of(c) >= 0 && (floors || never_negative)) return by_power_of_two(l, mod, a, c);
    b = safe_divisor(l, n, &a, b);
    if (!floors || unsigned_type || (never_negative && positive)) return low_bin(l, trunc, a, b);
    if (constant && positive) {
        const ir_node *cheap = shifted(l, mod, a, x, c);
        if (cheap != NULL) return cheap;
    }
    return positive ? by_positive(l, mod, a, b) : by_any(l, mod, a, b);
}

/* ---- Shifts ------------------------------------------------------------------------------------- */

/* In C++ a count of the width or more is undefined; here it shifts everything out. */
static const ir_node *shift_left(low *l, const ir_node *a, const ir_node *b, bool in_range)
{
    ir_type t = a->type, u = low_unsigned(t);
    const ir_node *value = as_unsigned(l, a), *count = as_unsigned(l, b);
    if (t.bits < 32 && t.lanes == 1) {
        /* As uint: C++ would promote to int, whose sign bit is not to be shifted into. */
        value = low_cast(l, IR_U32, value);
        count = low_cast(l, IR_U32, count);
        if (!in_range) count = low_once(l, count, "count");
        const ir_node *past = low_const(l, IR_U32, 31), *some = in_range ? count : low_bin(l, IR_MIN, count, past);
        return low_cast(l, t, low_bin(l, IR_SHL, value, some));
    }
    if (in_range) return low_cast(l, t, low_bin(l, IR_SHL, value, count));
    count = low_once(l, count, "count");
    const ir_node *some = low_bin(l, IR_BITAND, count, low_const(l, u, t.bits - 1));
    const ir_node *past = low_bin(l, IR_GE, count, low_const(l, u, t.bits));
    return low_cast(l, t, low_select(l, past, low_const(l, u, 0), low_bin(l, IR_SHL, value, some)));
}

static const ir_node *shift_right(low *l, const ir_node *a, const ir_node *b, bool in_range)
{
    ir_type t = a->type, u = low_unsigned(t);
    if (in_range) return low_bin(l, IR_SHR, a, b);
    const ir_node *count = low_once(l, as_unsigned(l, b), "count"), *most = low_const(l, u, t.bits - 1);
    if (is_signed(t)) return low_bin(l, IR_SHR, a, low_cast(l, t, low_bin(l, IR_MIN, count, most)));
    const ir_node *past = low_bin(l, IR_GT, count, most);
    const ir_node *some = low_bin(l, IR_SHR, a, low_bin(l, IR_BITAND, count, most));
    return low_select(l, past, low_const(l, t, 0), some);
}

const ir_node *low_int_bin(low *l, const ir_bin *n, const ir_node *a, const ir_node *b)
{
    ir_interval count;
    bool in_range;
    switch ((int)n->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL: return wrapped(l, n, a, b);
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD: return divided(l, n, a, b);
    case IR_SHL:
    case IR_SHR:
        count = ir_bound(l->az, n->b);
        in_range = count.min >= 0 && count.max < n->node.type.bits;
        return n->op == IR_SHL ? shift_left(l, a, b, in_range) : shift_right(l, a, b, in_range);
    default: return low_bin(l, n->op, a, b);
    }
}
