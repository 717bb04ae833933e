/* Rules for quotients and remainders: what the divisor divides is taken out, what bounds decide
 * goes. */
#include "ir/fold.h"
#include "ir/simplify_rules.h"
#include "ir/walk.h"

/* One division by a positive constant. */
typedef struct division {
    ir_analyzer *az;
    bool quotient; /* else remainder */
    ir_type type;
    int64_t c;
    bool any; /* a remainder by a power of two: right modulo 2^bits, so wrapping does not matter */
    span at;
} division;

static const ir_node *divide(const division *d, const ir_node *a);

static bool is_power_of_two(int64_t c)
{
    return (c & (c - 1)) == 0;
}

static bool fits(const division *d, const ir_linear *l)
{
    return ir_span_fits(ir_span_of_linear(d->az, l), d->type);
}

static const ir_node *to_node(const division *d, ir_linear *l)
{
    ir_linear_join(d->az->mem, l);
    return ir_linear_node(d->az->mem, l, d->type, d->at);
}

static const ir_node *plain(const division *d, const ir_node *a)
{
    return d->quotient ? ir_quotient(d->az->mem, a, d->c) : ir_remainder(d->az->mem, a, d->c);
}

/* Do all numbers of the interval have one quotient? */
static bool one_quotient(ir_span s, int64_t c, int64_t *quotient)
{
    if (s.min == IR_NEG_INF || s.max == IR_POS_INF || s.min > s.max) return false;
    *quotient = ir_div_floor(s.min, c);
    return *quotient == ir_div_floor(s.max, c);
}

/* ---- Divisions of divisions ------------------------------------------------------------------ */

static bool constant_divisor(const ir_node *n, ir_op op, int64_t *c)
{
    if (n->kind != IR_BIN || ir_as_bin(n)->op != op) return false;
    return ir_const_value(ir_as_bin(n)->b, c) && *c > 0;
}

/* x//a//c = x//(a c); x%u//c = x//c % (u/c) and x%u%c = x%c where c divides u. NULL: none of these.
 */
static const ir_node *divide_nested(const division *d, const ir_node *a)
{
    int64_t inner, product;
    arena *mem = d->az->mem;
    if (d->quotient && constant_divisor(a, IR_FLOORDIV, &inner)) {
        if (!ir_mul_exact(inner, d->c, &product) || product > ir_type_max(d->type)) return NULL;
        division whole = *d;
        whole.c = product;
        return divide(&whole, ir_as_bin(a)->a);
    }
    if (!constant_divisor(a, IR_FLOORMOD, &inner) || inner % d->c != 0) return NULL;
    const ir_node *x = ir_as_bin(a)->a;
    if (!d->quotient) return divide(d, x);
    return ir_remainder(mem, divide(d, x), inner / d->c);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

typedef struct parts {
    ir_linear out;  /* what c divides, divided by it */
    ir_linear rest; /* the others; 0 <= constant < c */
} parts;

static bool take_apart(const division *d, const ir_linear *l, parts *p)
{
    p->out = (ir_linear){.constant = ir_div_floor(l->constant, d->c)};
    p->rest = (ir_linear){.constant = ir_mod_floor(l->constant, d->c)};
    for (size_t i = 0; i < l->n; ++i) {
        ir_term t = l->terms[i];
        int64_t whole = t.coeff % d->c == 0 ? t.coeff / d->c : 0;
        /* A remainder does not ask how often c went into a coefficient. */
        if (!d->quotient && (t.coeff >= d->c || t.coeff <= -d->c))
            whole = ir_div_floor(t.coeff, d->c);
        if (!ir_linear_term(&p->out, t.atom, whole)) return false;
        if (!ir_linear_term(&p->rest, t.atom, t.coeff - whole * d->c)) return false;
    }
    return true;
}

/* rest = g * (high) + low with 0 <= low < g, g dividing c. */
static bool split_rest(const division *d, const ir_linear *rest, int64_t g, ir_linear *high,
                       ir_linear *low)
{
    int64_t q;
    *high = (ir_linear){0};
    *low = (ir_linear){.constant = rest->constant};
    for (size_t i = 0; i < rest->n; ++i) {
        ir_term t = rest->terms[i];
        bool divides = t.coeff % g == 0;
        if (!ir_linear_term(divides ? high : low, t.atom, divides ? t.coeff / g : t.coeff))
            return false;
    }
    if (high->n == 0 || !one_quotient(ir_span_of_linear(d->az, low), g, &q)) return false;
    high->constant = q;
    low->constant -= q * g;
    return d->any || fits(d, high);
}

/* (g high + low) // c = high // (c/g); (g high + low) % c = high % (c/g) * g + low. */
static const ir_node *divide_by_parts(const division *d, const ir_linear *rest)
{
    int64_t below = d->c;
    for (;;) {
        int64_t g = 1;
        for (size_t i = 0; i < rest->n; ++i) {
            int64_t common = ir_gcd(rest->terms[i].coeff, d->c);
            if (common > g && common < below) g = common;
        }
        if (g == 1) return NULL;
        ir_linear high, low, sum;
        if (split_rest(d, rest, g, &high, &low)) {
            division smaller = *d;
            smaller.c = d->c / g;
            const ir_node *q = divide(&smaller, to_node(d, &high));
            if (d->quotient) return q;
            if (ir_linear_of(q, &sum)) {
                ir_linear all = {0};
                if (ir_linear_add(&all, &sum, g) && ir_linear_add(&all, &low, 1))
                    return to_node(d, &all);
            }
        }
        below = g;
    }
}

/* out + (rest // c), or rest % c. */
static const ir_node *divide_parts(const division *d, parts *p)
{
    int64_t q = 0;
    if (!d->any && !fits(d, &p->rest)) return NULL;
    ir_span s = ir_span_of_linear(d->az, &p->rest);
    bool decided = fits(d, &p->rest) && one_quotient(s, d->c, &q);
    if (decided && d->quotient) {
        if (!ir_add_exact(p->out.constant, q, &p->out.constant)) return NULL;
        return to_node(d, &p->out);
    }
    if (decided) {
        p->rest.constant -= q * d->c;
        return to_node(d, &p->rest);
    }
    const ir_node *part = divide_by_parts(d, &p->rest);
    if (part == NULL) part = plain(d, to_node(d, &p->rest));
    ir_linear l;
    if (!d->quotient) return part;
    if (!ir_linear_of(part, &l) || !ir_linear_add(&p->out, &l, 1)) return NULL;
    return to_node(d, &p->out);
}

static const ir_node *divide(const division *d, const ir_node *a)
{
    ir_linear l;
    parts p;
    if (d->c == 1 || d->az->depth >= IR_ANALYZER_DEPTH) return plain(d, a);
    if (!ir_linear_of(a, &l) || !(d->any || fits(d, &l))) return plain(d, a);
    ++d->az->depth;
    const ir_node *made = divide_nested(d, a);
    if (made == NULL && take_apart(d, &l, &p)) made = divide_parts(d, &p);
    --d->az->depth;
    return made != NULL ? made : plain(d, a);
}

/* ---- Symbolic divisors ----------------------------------------------------------------------- */

/* The other factor of a product (that did not wrap) which has `b` as a factor. */
static const ir_node *other_factor(ir_analyzer *az, const ir_node *n, const ir_node *b)
{
    if (n->kind != IR_BIN || ir_as_bin(n)->op != IR_MUL || !ir_product_exact(az, ir_as_bin(n)))
        return NULL;
    if (ir_equal(ir_as_bin(n)->b, b)) return ir_as_bin(n)->a;
    return ir_equal(ir_as_bin(n)->a, b) ? ir_as_bin(n)->b : NULL;
}

/* (x b + y) // b = x and % b = y where 0 <= y < b. NULL where that is not proved. */
static const ir_node *divide_symbolic(const division *d, const ir_node *a, const ir_node *b)
{
    ir_linear l, out = {0}, rest = {0};
    if (ir_span_of(d->az, b).min <= 0 || !ir_linear_of(a, &l) || !fits(d, &l)) return NULL;
    rest.constant = l.constant;
    for (size_t i = 0; i < l.n; ++i) {
        const ir_node *x = ir_equal(l.terms[i].atom, b) ? ir_int_like(d->az->mem, b, 1)
                                                        : other_factor(d->az, l.terms[i].atom, b);
        ir_linear part;
        if (x == NULL) {
            if (!ir_linear_term(&rest, l.terms[i].atom, l.terms[i].coeff)) return NULL;
        } else if (!ir_linear_of(x, &part) || !ir_linear_add(&out, &part, l.terms[i].coeff)) {
            return NULL;
        }
    }
    if (!fits(d, &rest) || ir_span_of_linear(d->az, &rest).min < 0) return NULL;
    const ir_node *y = to_node(d, &rest);
    if (ir_decide_compare(d->az, IR_LT, y, b) != 1) return NULL;
    return d->quotient ? to_node(d, &out) : y;
}

const ir_node *ir_simplify_division(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b)
{
    division d = {.az = az, .type = a->type, .at = span_join(a->at, b->at)};
    d.quotient = op == IR_FLOORDIV || op == IR_TRUNCDIV;
    bool truncates = op == IR_TRUNCDIV || op == IR_TRUNCMOD;
    bool same = !truncates || (ir_span_of(az, a).min >= 0 && ir_span_of(az, b).min > 0);
    const ir_node *old = ir_fold_bin(az->mem, op, a, b);
    const ir_node *made = NULL;
    if (!same) return old;
    if (ir_const_value(b, &d.c) && d.c > 0) {
        d.any = !d.quotient && is_power_of_two(d.c);
        made = divide(&d, a);
    } else {
        made = divide_symbolic(&d, a, b);
        if (made == NULL && truncates)
            made = ir_fold_bin(az->mem, d.quotient ? IR_FLOORDIV : IR_FLOORMOD, a, b);
    }
    return made == NULL || ir_equal(made, old) ? old : made;
}
