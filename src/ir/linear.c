/* Linear forms: taking apart, joining, putting together. */
#include "ir/linear.h"

#include "ir/fold.h"
#include "ir/walk.h"

bool ir_add_exact(int64_t a, int64_t b, int64_t *out)
{
    *out = (int64_t)((uint64_t)a + (uint64_t)b);
    return b >= 0 ? *out >= a : *out < a;
}

bool ir_mul_exact(int64_t a, int64_t b, int64_t *out)
{
    *out = (int64_t)((uint64_t)a * (uint64_t)b);
    if (a == 0 || b == 0) return true;
    if ((a == -1 && b == INT64_MIN) || (b == -1 && a == INT64_MIN)) return false;
    return *out / b == a;
}

int64_t ir_div_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t ir_mod_floor(int64_t a, int64_t b)
{
    int64_t r = a % b;
    return r < 0 ? r + b : r;
}

int64_t ir_gcd(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    while (y != 0) {
        uint64_t r = x % y;
        x = y;
        y = r;
    }
    return x > (uint64_t)INT64_MAX ? 1 : (int64_t)x;
}

/* ---- Taking apart ---------------------------------------------------------------------------- */

static void remove_term(ir_linear *l, size_t at)
{
    --l->n;
    for (size_t i = at; i < l->n; ++i) l->terms[i] = l->terms[i + 1];
}

bool ir_linear_term(ir_linear *l, const ir_node *atom, int64_t coeff)
{
    if (coeff == 0) return true;
    for (size_t i = 0; i < l->n; ++i) {
        if (!ir_equal(l->terms[i].atom, atom)) continue;
        if (!ir_add_exact(l->terms[i].coeff, coeff, &l->terms[i].coeff)) return false;
        if (l->terms[i].coeff == INT64_MIN) return false;
        if (l->terms[i].coeff == 0) remove_term(l, i);
        return true;
    }
    if (l->n == IR_LINEAR_TERMS || coeff == INT64_MIN) return false;
    l->terms[l->n++] = (ir_term){atom, coeff};
    return true;
}

bool ir_linear_add(ir_linear *l, const ir_linear *other, int64_t scale)
{
    int64_t part;
    if (!ir_mul_exact(other->constant, scale, &part)) return false;
    if (!ir_add_exact(l->constant, part, &l->constant) || l->constant == INT64_MIN) return false;
    for (size_t i = 0; i < other->n; ++i) {
        if (!ir_mul_exact(other->terms[i].coeff, scale, &part)) return false;
        if (!ir_linear_term(l, other->terms[i].atom, part)) return false;
    }
    return true;
}

typedef struct taking {
    ir_linear *l;
    ir_type ring; /* the signed type of the width, in which coefficients are kept */
    unsigned depth;
} taking;

enum { LINEAR_DEPTH = 256 };

static int64_t ring_mul(const taking *t, int64_t a, int64_t b)
{
    return ir_type_wrap(t->ring, (int64_t)((uint64_t)a * (uint64_t)b));
}

/* The constant that a node is or broadcasts, in the ring. */
static bool ring_constant(const taking *t, const ir_node *n, int64_t *out)
{
    if (n->kind == IR_BROADCAST) n = ir_as_broadcast(n)->a;
    if (!ir_const_value(n, out)) return false;
    *out = ir_type_wrap(t->ring, *out);
    return true;
}

/* l += n * scale */
static bool take(taking *t, const ir_node *n, int64_t scale)
{
    int64_t c;
    if (scale == 0) return true;
    if (ring_constant(t, n, &c)) {
        uint64_t sum = (uint64_t)t->l->constant + (uint64_t)ring_mul(t, c, scale);
        t->l->constant = ir_type_wrap(t->ring, (int64_t)sum);
        return true;
    }
    if (n->kind != IR_BIN || t->depth == 0) return ir_linear_term(t->l, n, scale);
    const ir_bin *b = ir_as_bin(n);
    bool ok;
    --t->depth;
    if (b->op == IR_ADD || b->op == IR_SUB) {
        int64_t other = b->op == IR_ADD ? scale : ring_mul(t, scale, -1);
        ok = take(t, b->a, scale) && take(t, b->b, other);
    } else if (b->op == IR_MUL && ring_constant(t, b->b, &c)) {
        ok = take(t, b->a, ring_mul(t, scale, c));
    } else if (b->op == IR_MUL && ring_constant(t, b->a, &c)) {
        ok = take(t, b->b, ring_mul(t, scale, c));
    } else if (b->op == IR_SHL && ring_constant(t, b->b, &c) && c >= 0 && c < n->type.bits) {
        ok = take(t, b->a, ring_mul(t, scale, (int64_t)((uint64_t)1 << c)));
    } else {
        ok = ir_linear_term(t->l, n, scale);
    }
    ++t->depth;
    return ok;
}

bool ir_linear_of(const ir_node *expr, ir_linear *out)
{
    out->n = 0;
    out->constant = 0;
    if (!ir_type_is_int(expr->type)) return false;
    taking t = {.l = out, .ring = IR_TYPE(IR_INT, expr->type.bits), .depth = LINEAR_DEPTH};
    if (!take(&t, expr, 1)) return false;
    if (out->constant == INT64_MIN) return false;
    /* Equal atoms may have summed past the ring. */
    for (size_t i = out->n; i-- > 0;) {
        out->terms[i].coeff = ir_type_wrap(t.ring, out->terms[i].coeff);
        if (out->terms[i].coeff == 0) remove_term(out, i);
    }
    return true;
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* (x % upper) // lower; upper 0: no upper end. */
typedef struct digit {
    const ir_node *x;
    int64_t lower, upper;
} digit;

static bool positive_divisor(const ir_node *n, ir_op op, const ir_node **x, int64_t *c)
{
    if (n->kind != IR_BIN || ir_as_bin(n)->op != op) return false;
    const ir_node *b = ir_as_bin(n)->b;
    if (b->kind == IR_BROADCAST) b = ir_as_broadcast(b)->a;
    *x = ir_as_bin(n)->a;
    return ir_const_value(b, c) && *c > 0;
}

static digit digit_of(const ir_node *n)
{
    const ir_node *x, *y;
    int64_t outer, inner, product;
    if (positive_divisor(n, IR_FLOORMOD, &x, &outer)) {
        if (positive_divisor(x, IR_FLOORDIV, &y, &inner) && ir_mul_exact(outer, inner, &product)) {
            return (digit){y, inner, product};
        }
        return (digit){x, 1, outer};
    }
    if (positive_divisor(n, IR_FLOORDIV, &x, &outer)) {
        if (positive_divisor(x, IR_FLOORMOD, &y, &inner) && inner % outer == 0) {
            return (digit){y, outer, inner};
        }
        return (digit){x, outer, 0};
    }
    return (digit){n, 1, 0};
}

/* Do high * a + low * b make one digit, times b? */
static bool adjacent(digit high, int64_t a, digit low, int64_t b)
{
    int64_t product;
    if (low.upper == 0 || low.upper != high.lower) return false;
    return ir_mul_exact(b, high.lower / low.lower, &product) && product == a &&
           high.lower % low.lower == 0 && ir_equal(high.x, low.x);
}

static const ir_node *digit_node(arena *mem, digit d)
{
    const ir_node *q = ir_quotient(mem, d.x, d.lower);
    return d.upper != 0 ? ir_remainder(mem, q, d.upper / d.lower) : q;
}

/* Replaces one pair of adjacent digits by their join. */
static bool join_once(arena *mem, ir_linear *l)
{
    for (size_t i = 0; i < l->n; ++i) {
        digit low = digit_of(l->terms[i].atom);
        if (low.upper == 0) continue;
        for (size_t j = 0; j < l->n; ++j) {
            digit high = digit_of(l->terms[j].atom);
            int64_t scale = l->terms[i].coeff;
            if (i == j || !adjacent(high, l->terms[j].coeff, low, scale)) continue;
            digit whole = {low.x, low.lower, high.upper};
            ir_linear joined = *l, inner;
            remove_term(&joined, i > j ? i : j);
            remove_term(&joined, i > j ? j : i);
            const ir_node *n = digit_node(mem, whole);
            if (!ir_linear_of(n, &inner) || !ir_linear_add(&joined, &inner, scale)) continue;
            *l = joined;
            return true;
        }
    }
    return false;
}

void ir_linear_join(arena *mem, ir_linear *l)
{
    while (join_once(mem, l)) continue;
}

/* ---- Putting together ------------------------------------------------------------------------ */

const ir_node *ir_quotient(arena *mem, const ir_node *x, int64_t c)
{
    return ir_fold_bin(mem, IR_FLOORDIV, x, ir_int_new(mem, x->type, c, x->at));
}

const ir_node *ir_remainder(arena *mem, const ir_node *x, int64_t c)
{
    return ir_fold_bin(mem, IR_FLOORMOD, x, ir_int_new(mem, x->type, c, x->at));
}

static const ir_node *scaled(arena *mem, ir_term t, int64_t coeff)
{
    return ir_fold_bin(mem, IR_MUL, t.atom, ir_int_new(mem, t.atom->type, coeff, t.atom->at));
}

const ir_node *ir_linear_node(arena *mem, const ir_linear *l, ir_type type, span at)
{
    size_t first = 0;
    while (first < l->n && l->terms[first].coeff < 0) ++first;
    const ir_node *sum;
    int64_t constant = l->constant;
    if (first < l->n) {
        sum = scaled(mem, l->terms[first], l->terms[first].coeff);
    } else if (constant > 0 || l->n == 0) {
        sum = ir_int_new(mem, type, constant, at);
        constant = 0;
    } else {
        first = 0;
        sum = scaled(mem, l->terms[0], l->terms[0].coeff);
    }
    for (size_t i = 0; i < l->n; ++i) {
        int64_t coeff = l->terms[i].coeff;
        if (i == first) continue;
        bool minus = coeff < 0;
        const ir_node *term = scaled(mem, l->terms[i], minus ? -coeff : coeff);
        sum = ir_fold_bin(mem, minus ? IR_SUB : IR_ADD, sum, term);
    }
    if (constant == 0) return sum;
    bool minus = constant < 0;
    const ir_node *c = ir_int_new(mem, type, minus ? -constant : constant, at);
    return ir_fold_bin(mem, minus ? IR_SUB : IR_ADD, sum, c);
}
