/* Assumptions and proofs: conditions as forms that are at most 0, and a bounded search over them.
 */
#include "ir/analyzer.h"
#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/walk.h"

enum { PROOF_DEPTH = 4 };

/* ---- Assumptions ----------------------------------------------------------------------------- */

/* a - b (+ 1 where strict), where both are numbers. */
static bool difference(ir_analyzer *az, const ir_node *a, const ir_node *b, bool strict,
                       ir_linear *out)
{
    ir_linear l;
    if (!ir_linear_exact(az, a, out) || !ir_linear_exact(az, b, &l)) return false;
    if (!ir_linear_add(out, &l, -1)) return false;
    return ir_add_exact(out->constant, strict, &out->constant);
}

static void push_form(ir_analyzer *az, const ir_linear *form)
{
    const ir_linear *copy = arena_copy(az->mem, form, sizeof *form);
    ir_fact_vec_push(az->mem, &az->facts, (ir_fact){.form = copy});
}

static const ir_node *without_cast(const ir_node *n)
{
    bool widens = n->kind == IR_CAST && ir_type_is_int(ir_as_cast(n)->a->type) &&
                  n->type.code == IR_INT && n->type.bits > ir_as_cast(n)->a->type.bits;
    return widens ? ir_as_cast(n)->a : n;
}

/* x >= 1 */
static void push_positive(ir_analyzer *az, const ir_node *x)
{
    ir_linear fact;
    ir_linear one = {.constant = 1};
    x = without_cast(x);
    if (ir_linear_exact(az, x, &fact) && ir_linear_add(&one, &fact, -1)) push_form(az, &one);
}

/* Where l <= 0 says that a product of two numbers that are not negative is above 0, both are: what
 * remains of `i < n * m` for i >= 0. */
static void push_factors(ir_analyzer *az, const ir_linear *l)
{
    for (size_t i = 0; i < l->n; ++i) {
        const ir_node *atom = without_cast(l->terms[i].atom);
        if (l->terms[i].coeff >= 0 || atom->kind != IR_BIN || ir_as_bin(atom)->op != IR_MUL) continue;
        const ir_bin *product = ir_as_bin(atom);
        ir_linear rest = *l;
        if (!ir_linear_term(&rest, l->terms[i].atom, -l->terms[i].coeff)) continue;
        bool positive = ir_span_of_linear(az, &rest).min > 0 && ir_product_exact(az, product) &&
                        ir_span_of(az, product->a).min >= 0 && ir_span_of(az, product->b).min >= 0;
        if (!positive) continue;
        push_positive(az, product->a);
        push_positive(az, product->b);
    }
}

static void add_form(ir_analyzer *az, const ir_node *a, const ir_node *b, bool strict)
{
    ir_linear l;
    if (!difference(az, a, b, strict, &l)) return;
    push_form(az, &l);
    push_factors(az, &l);
}

static ir_op opposite(ir_op op)
{
    switch ((int)op) {
    case IR_EQ: return IR_NE;
    case IR_NE: return IR_EQ;
    case IR_LT: return IR_GE;
    case IR_LE: return IR_GT;
    case IR_GT: return IR_LE;
    default: return IR_LT;
    }
}

static void assume_compare(ir_analyzer *az, const ir_bin *n, bool holds)
{
    if (!ir_type_is_int(n->a->type)) return;
    switch ((int)(holds ? n->op : opposite(n->op))) {
    case IR_EQ:
        add_form(az, n->a, n->b, false);
        add_form(az, n->b, n->a, false);
        break;
    case IR_LT: add_form(az, n->a, n->b, true); break;
    case IR_LE: add_form(az, n->a, n->b, false); break;
    case IR_GT: add_form(az, n->b, n->a, true); break;
    case IR_GE: add_form(az, n->b, n->a, false); break;
    default: break;
    }
}

static bool is_compare(ir_op op)
{
    return ir_ops[op].result == IR_RESULT_TRUTH && op != IR_AND && op != IR_OR;
}

static bool is_likely(const ir_node *n)
{
    return n->kind == IR_CALL && ir_builtin_is_hint(ir_as_call(n)->fn);
}

void ir_assume_here(ir_analyzer *az, const ir_node *cond, bool holds)
{
    ir_analyzer_begin(az);
    if (cond->type.lanes != 1 || ir_has_effect(cond)) return;
    if (cond->kind == IR_NOT) {
        ir_assume_here(az, ir_as_not(cond)->a, !holds);
        return;
    }
    if (is_likely(cond)) {
        ir_assume_here(az, ir_as_call(cond)->args.at[0], holds);
        return;
    }
    ir_fact_vec_push(az->mem, &az->facts, (ir_fact){.cond = cond, .negated = !holds});
    if (cond->kind != IR_BIN) return;
    const ir_bin *n = ir_as_bin(cond);
    if (n->op == (holds ? IR_AND : IR_OR)) {
        ir_assume_here(az, n->a, holds);
        ir_assume_here(az, n->b, holds);
    } else if (is_compare(n->op)) {
        assume_compare(az, n, holds);
    }
}

void ir_analyzer_assume(ir_analyzer *az, const ir_node *cond)
{
    if (!ir_reads_memory(cond)) ir_assume_here(az, cond, true);
}

void ir_analyzer_assume_not(ir_analyzer *az, const ir_node *cond)
{
    if (!ir_reads_memory(cond)) ir_assume_here(az, cond, false);
}

/* ---- Proofs of form <= 0 --------------------------------------------------------------------- */

static bool prove(ir_analyzer *az, const ir_linear *l, unsigned depth);

/* l <= 0 follows from l - k * fact <= 0 for k > 0: tried where that removes a term. */
static bool prove_with(ir_analyzer *az, const ir_linear *l, const ir_linear *fact, unsigned depth)
{
    for (size_t i = 0; i < fact->n; ++i) {
        int64_t c = fact->terms[i].coeff;
        for (size_t j = 0; j < l->n; ++j) {
            int64_t mine = l->terms[j].coeff;
            if ((c > 0) != (mine > 0) || c == INT64_MIN || mine % c != 0) continue;
            if (!ir_equal(l->terms[j].atom, fact->terms[i].atom)) continue;
            ir_linear rest = *l;
            if (ir_linear_add(&rest, fact, -(mine / c)) && prove(az, &rest, depth - 1)) return true;
        }
    }
    return false;
}

/* atom (sign 1) or -atom (sign -1), plus `other` times scale and a constant, is <= 0: is l then? */
static bool prove_by(ir_analyzer *az, const ir_linear *l, ir_term atom, const ir_node *other,
                     int64_t constant, unsigned depth)
{
    ir_linear fact, value;
    if (!ir_linear_exact(az, other, &value)) return false;
    fact = (ir_linear){.n = 1, .constant = constant, .terms = {atom}};
    return ir_linear_add(&fact, &value, -atom.coeff) && prove_with(az, l, &fact, depth);
}

/* What an atom says of itself: min(a, b) <= a; x % n < n; a variable's value. */
static bool prove_by_atom(ir_analyzer *az, const ir_linear *l, ir_term term, unsigned depth)
{
    const ir_node *n = term.atom;
    ir_term up = {n, 1}, down = {n, -1};
    bool above = term.coeff > 0; /* an upper end of the atom helps */
    if (n->kind == IR_VAR) {
        const ir_known *k = ir_known_of(az, ir_as_var_ref(n)->var);
        if (k == NULL || k->value == NULL || !ir_type_eq(k->value->type, n->type)) return false;
        return prove_by(az, l, above ? up : down, k->value, 0, depth);
    }
    if (n->kind != IR_BIN) return false;
    const ir_bin *b = ir_as_bin(n);
    if ((b->op == IR_MIN && above) || (b->op == IR_MAX && !above)) {
        ir_term t = above ? up : down;
        return prove_by(az, l, t, b->a, 0, depth) || prove_by(az, l, t, b->b, 0, depth);
    }
    int64_t c;
    if (b->op == IR_FLOORDIV && above && ir_const_value(b->b, &c) && c > 0) {
        /* c * (x // c) <= x */
        ir_linear fact = {.n = 1, .terms = {{n, c}}}, x;
        bool known = ir_linear_exact(az, b->a, &x) && ir_linear_add(&fact, &x, -1);
        return known && prove_with(az, l, &fact, depth);
    }
    if (b->op == IR_FLOORMOD && above && ir_span_of(az, b->b).min > 0) {
        return prove_by(az, l, up, b->b, 1, depth);
    }
    return false;
}

static bool prove(ir_analyzer *az, const ir_linear *l, unsigned depth)
{
    if (az->steps >= IR_PROOF_STEPS) return false;
    ++az->steps;
    ir_span s = ir_span_of_linear(az, l);
    if (s.max != IR_POS_INF && s.max <= 0) return true;
    if (depth == 0) return false;
    for (size_t i = az->facts.n; i-- > ir_analyzer_facts(az);) {
        const ir_linear *f = az->facts.at[i].form;
        if (f != NULL && prove_with(az, l, f, depth)) return true;
    }
    for (size_t i = 0; i < l->n; ++i) {
        if (prove_by_atom(az, l, l->terms[i], depth)) return true;
    }
    return false;
}

bool ir_prove_form(ir_analyzer *az, const ir_linear *form)
{
    if (az->depth >= IR_ANALYZER_DEPTH) return false;
    az->depth += PROOF_DEPTH;
    az->steps = 0;
    bool proved = prove(az, form, PROOF_DEPTH);
    az->depth -= PROOF_DEPTH;
    return proved;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

/* 1 - form, for the opposite of form <= 0. */
static bool negate(ir_linear *l)
{
    ir_linear r = {.constant = 1};
    if (!ir_linear_add(&r, l, -1)) return false;
    *l = r;
    return true;
}

static int decide_order(ir_analyzer *az, const ir_node *a, const ir_node *b, bool strict)
{
    ir_linear l;
    if (!difference(az, a, b, strict, &l)) return -1;
    if (ir_prove_form(az, &l)) return 1;
    return negate(&l) && ir_prove_form(az, &l) ? 0 : -1;
}

/* Do the modular sets of a and b have nothing in common? */
static bool never_congruent(ir_analyzer *az, const ir_linear *l)
{
    ir_modular_set s = ir_modular_of_linear(az, l);
    return s.coeff == 0 ? s.base != 0 : s.base % s.coeff != 0;
}

static int decide_equal(ir_analyzer *az, const ir_node *a, const ir_node *b)
{
    ir_linear l;
    if (ir_equal(a, b)) return 1;
    if (!difference(az, a, b, false, &l)) return -1;
    if (l.n == 0) return l.constant == 0;
    if (never_congruent(az, &l)) return 0;
    int below = decide_order(az, a, b, false), above = decide_order(az, b, a, false);
    if (below == 1 && above == 1) return 1;
    return below == 0 || above == 0 ? 0 : -1;
}

int ir_decide_compare(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b)
{
    ir_analyzer_begin(az);
    if (!ir_type_is_int(a->type)) return -1;
    int equal;
    switch ((int)op) {
    case IR_LT: return decide_order(az, a, b, true);
    case IR_LE: return decide_order(az, a, b, false);
    case IR_GT: return decide_order(az, b, a, true);
    case IR_GE: return decide_order(az, b, a, false);
    case IR_EQ: return decide_equal(az, a, b);
    case IR_NE: equal = decide_equal(az, a, b); return equal < 0 ? -1 : !equal;
    default: return -1;
    }
}

static int decide_by_facts(const ir_analyzer *az, const ir_node *cond)
{
    for (size_t i = az->facts.n; i-- > ir_analyzer_facts(az);) {
        const ir_fact *f = &az->facts.at[i];
        if (f->cond != NULL && ir_equal(f->cond, cond)) return !f->negated;
    }
    return -1;
}

static int decide_bin(ir_analyzer *az, const ir_bin *n)
{
    if (is_compare(n->op)) return ir_decide_compare(az, n->op, n->a, n->b);
    if (n->op != IR_AND && n->op != IR_OR) return -1;
    int a = ir_decide(az, n->a), b = ir_decide(az, n->b), decides = n->op == IR_OR;
    if (a == decides || b == decides) return decides;
    return a < 0 || b < 0 ? -1 : !decides;
}

int ir_decide(ir_analyzer *az, const ir_node *cond)
{
    int64_t value;
    if (ir_const_value(cond, &value)) return value != 0;
    ir_analyzer_begin(az);
    if (cond->type.lanes != 1 || !ir_analyzer_enter(az)) return -1;
    int known = decide_by_facts(az, cond);
    if (known < 0 && is_likely(cond)) known = ir_decide(az, ir_as_call(cond)->args.at[0]);
    if (known < 0 && cond->kind == IR_BIN) known = decide_bin(az, ir_as_bin(cond));
    if (known < 0 && cond->kind == IR_NOT) {
        int inner = ir_decide(az, ir_as_not(cond)->a);
        known = inner < 0 ? -1 : !inner;
    }
    if (known < 0 && cond->kind == IR_VAR) {
        ir_span s = ir_span_of(az, cond);
        if (s.min == s.max) known = s.min != 0;
    }
    --az->depth;
    return known;
}

bool ir_prove(ir_analyzer *az, const ir_node *cond)
{
    if (!ir_type_is_bool(cond->type)) return false;
    if (cond->type.lanes == 1 && ir_decide(az, cond) == 1) return true;
    return ir_is_const(ir_simplify(az, cond), 1);
}

bool ir_prove_equal(ir_analyzer *az, const ir_node *a, const ir_node *b)
{
    if (ir_equal(a, b)) return true;
    if (!ir_type_eq(a->type, b->type) || !ir_type_is_int(a->type)) return false;
    ir_linear l;
    ir_analyzer_begin(az);
    /* Equal modulo 2^bits is equal: no proof about overflow is needed. */
    if (ir_linear_of(ir_simplify(az, ir_fold_bin(az->mem, IR_SUB, a, b)), &l) && l.n == 0) {
        return l.constant == 0;
    }
    return ir_decide_compare(az, IR_EQ, a, b) == 1;
}
