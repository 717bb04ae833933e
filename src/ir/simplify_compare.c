/* Rules for min, max and comparisons of integers. */
#include "ir/fold.h"
#include "ir/simplify_rules.h"
#include "ir/walk.h"

/* ---- min and max ----------------------------------------------------------------------------- */

/* min(min(x, c), d) = min(x, min(c, d)) for constants. */
static const ir_node *merge_constants(arena *mem, ir_op op, const ir_node *a, const ir_node *b)
{
    int64_t c;
    if (!ir_const_value(b, &c) || a->kind != IR_BIN || ir_as_bin(a)->op != op) return NULL;
    const ir_bin *inner = ir_as_bin(a);
    if (!ir_const_value(inner->b, &c)) return NULL;
    return ir_fold_bin(mem, op, inner->a, ir_fold_bin(mem, op, inner->b, b));
}

const ir_node *ir_simplify_minmax(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b)
{
    if (ir_equal(a, b)) return a;
    int ordered = ir_decide_compare(az, IR_LE, a, b);
    if (ordered < 0 && ir_decide_compare(az, IR_LE, b, a) == 1) ordered = 0;
    if (ordered >= 0) return (ordered == 1) == (op == IR_MIN) ? a : b;
    if (a->kind == IR_INT_IMM) {
        const ir_node *c = a;
        a = b;
        b = c;
    }
    const ir_node *merged = merge_constants(az->mem, op, a, b);
    return merged != NULL ? merged : ir_fold_bin(az->mem, op, a, b);
}

/* ---- Comparisons ----------------------------------------------------------------------------- */

/* A comparison as form <= 0. */
typedef struct order {
    ir_analyzer *az;
    ir_type type;
    ir_linear form;
    bool strict;  /* how it is written: < rather than <= */
    bool swapped; /* written with > or >= */
} order;

static bool to_form(order *o, const ir_node *a, const ir_node *b)
{
    ir_linear l;
    if (!ir_linear_exact(o->az, a, &o->form) || !ir_linear_exact(o->az, b, &l)) return false;
    if (!ir_linear_add(&o->form, &l, -1)) return false;
    return ir_add_exact(o->form.constant, o->strict, &o->form.constant);
}

/* g T + r <= 0 is T + f <= 0 where (r - 1) // g + 1 is always f; r holds the constant. */
static bool divide_form(order *o, int64_t g)
{
    ir_linear high = {0}, low = {.constant = o->form.constant - 1};
    for (size_t i = 0; i < o->form.n; ++i) {
        ir_term t = o->form.terms[i];
        bool divides = t.coeff % g == 0;
        if (!ir_linear_term(divides ? &high : &low, t.atom, divides ? t.coeff / g : t.coeff))
            return false;
    }
    ir_span s = ir_span_of_linear(o->az, &low);
    if (high.n == 0 || s.min == IR_NEG_INF || s.max == IR_POS_INF || s.min > s.max) return false;
    int64_t q = ir_div_floor(s.min, g);
    if (q != ir_div_floor(s.max, g)) return false;
    high.constant = q + 1;
    o->form = high;
    return true;
}

static void reduce_form(order *o)
{
    int64_t below = INT64_MAX;
    for (;;) {
        int64_t g = 1;
        for (size_t i = 0; i < o->form.n; ++i) {
            int64_t c =
                o->form.terms[i].coeff < 0 ? -o->form.terms[i].coeff : o->form.terms[i].coeff;
            if (c > g && c < below) g = c;
        }
        if (g == 1) return;
        below = divide_form(o, g) ? INT64_MAX : g;
    }
}

/* The positive terms on the left, the negative ones on the right, each side without a minus. */
static const ir_node *from_form(const order *o)
{
    ir_linear left = {0}, right = {0};
    int64_t constant = o->form.constant - o->strict;
    for (size_t i = 0; i < o->form.n; ++i) {
        ir_term t = o->form.terms[i];
        if (t.coeff > 0)
            left.terms[left.n++] = t;
        else
            right.terms[right.n++] = (ir_term){t.atom, -t.coeff};
    }
    bool on_left = left.n == 0 || (right.n != 0 && constant > 0);
    (on_left ? &left : &right)->constant = on_left ? constant : -constant;
    if (!ir_span_fits(ir_span_of_linear(o->az, &left), o->type)) return NULL;
    if (!ir_span_fits(ir_span_of_linear(o->az, &right), o->type)) return NULL;
    arena *mem = o->az->mem;
    ir_linear_join(mem, &left);
    ir_linear_join(mem, &right);
    const ir_node *a = ir_linear_node(mem, &left, o->type, (span){0});
    const ir_node *b = ir_linear_node(mem, &right, o->type, (span){0});
    if (o->swapped) return ir_fold_bin(mem, o->strict ? IR_GT : IR_GE, b, a);
    return ir_fold_bin(mem, o->strict ? IR_LT : IR_LE, a, b);
}

static const ir_node *simplify_order(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b)
{
    order o = {.az = az, .type = a->type};
    o.strict = op == IR_LT || op == IR_GT;
    o.swapped = op == IR_GT || op == IR_GE;
    if (o.swapped ? !to_form(&o, b, a) : !to_form(&o, a, b)) return NULL;
    reduce_form(&o);
    ir_linear negative = {.constant = 1};
    if (ir_prove_form(az, &o.form)) return ir_bool(az->mem, true);
    if (ir_linear_add(&negative, &o.form, -1) && ir_prove_form(az, &negative))
        return ir_bool(az->mem, false);
    return from_form(&o);
}

/* What divides every number of the form, where a and b and the parts of the form are numbers;
 * else 1. */
static int64_t common_factor(ir_analyzer *az, const ir_linear *form, const ir_node *a,
                             const ir_node *b)
{
    ir_linear l;
    int64_t g = form->constant;
    for (size_t i = 0; i < form->n; ++i) g = ir_gcd(g, form->terms[i].coeff);
    if (g <= 1 || form->n != 1) return 1;
    if (!ir_linear_exact(az, a, &l) || !ir_linear_exact(az, b, &l)) return 1;
    ir_linear part = {.n = 1, .terms = {{form->terms[0].atom, form->terms[0].coeff / g}}};
    ir_linear rest = {.constant = form->constant / g};
    bool fits = ir_span_fits(ir_span_of_linear(az, &part), a->type) &&
                ir_span_fits(ir_span_of_linear(az, &rest), a->type);
    return fits ? g : 1;
}

/* a == b: common terms go (right modulo 2^bits), a common factor where nothing wrapped. */
static const ir_node *simplify_equality(ir_analyzer *az, ir_op op, const ir_node *a,
                                        const ir_node *b)
{
    ir_linear x, y, left = {0}, right = {0};
    if (!ir_linear_of(a, &x) || !ir_linear_of(b, &y) || !ir_linear_add(&x, &y, -1)) return NULL;
    int64_t g = common_factor(az, &x, a, b);
    for (size_t i = 0; i < x.n; ++i) {
        ir_term t = {x.terms[i].atom, x.terms[i].coeff / g};
        if (t.coeff > 0)
            left.terms[left.n++] = t;
        else
            right.terms[right.n++] = (ir_term){t.atom, -t.coeff};
    }
    int64_t constant = x.constant / g;
    if (left.n == 0) {
        left = right;
        right = (ir_linear){0};
        constant = -constant;
    }
    bool on_left = right.n != 0 && constant > 0;
    (on_left ? &left : &right)->constant = on_left ? constant : -constant;
    ir_linear_join(az->mem, &left);
    ir_linear_join(az->mem, &right);
    return ir_fold_bin(az->mem, op, ir_linear_node(az->mem, &left, a->type, a->at),
                       ir_linear_node(az->mem, &right, a->type, b->at));
}

const ir_node *ir_simplify_compare(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b)
{
    int known = ir_decide_compare(az, op, a, b);
    if (known >= 0) return ir_int_new(az->mem, IR_B1, known, span_join(a->at, b->at));
    bool equality = op == IR_EQ || op == IR_NE;
    const ir_node *made = equality ? simplify_equality(az, op, a, b) : simplify_order(az, op, a, b);
    const ir_node *old = ir_fold_bin(az->mem, op, a, b);
    return made == NULL || ir_equal(made, old) ? old : made;
}
