/* The simplifier's walk: which rules meet which node, and under which assumptions. */
#include "ir/simplify.h"

#include "ir/fold.h"
#include "ir/simplify_rules.h"
#include "ir/walk.h"

typedef struct simplifier {
    ir_rewrite r;
    ir_analyzer *az;
    bool effects; /* somewhere in the whole: then each node asks again */
} simplifier;

static const ir_node *simplify(simplifier *s, const ir_node *n);

static const ir_node *simplify_child(ir_rewrite *r, const ir_node *n)
{
    return simplify((simplifier *)(void *)r, n);
}

/* `n` simplified under the assumption that `cond` holds, or does not. */
static const ir_node *simplify_where(simplifier *s, const ir_node *n, const ir_node *cond,
                                     bool holds)
{
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    ir_assume_here(s->az, cond, holds);
    n = simplify(s, n);
    ir_analyzer_restore(s->az, mark);
    return n;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static const ir_node *narrower(const ir_node *n)
{
    if (n->kind != IR_CAST || n->type.code != IR_INT) return n;
    ir_type from = ir_as_cast(n)->a->type;
    return from.code == IR_INT && from.bits <= n->type.bits ? ir_as_cast(n)->a : n;
}

/* x where `high` is (x // m) * m and `low` is x % m, for m above 0, both perhaps widened; else NULL. */
static const ir_node *rejoined(ir_analyzer *az, const ir_node *high, const ir_node *low)
{
    low = narrower(low);
    if (high->kind != IR_BIN || low->kind != IR_BIN) return NULL;
    const ir_bin *product = ir_as_bin(high), *rest = ir_as_bin(low);
    if (product->op != IR_MUL || rest->op != IR_FLOORMOD) return NULL;
    const ir_node *a = narrower(product->a), *b = narrower(product->b);
    if (a->kind != IR_BIN || ir_as_bin(a)->op != IR_FLOORDIV) {
        const ir_node *other = a;
        a = b;
        b = other;
    }
    if (a->kind != IR_BIN || ir_as_bin(a)->op != IR_FLOORDIV) return NULL;
    const ir_bin *quotient = ir_as_bin(a);
    bool same = ir_equal(quotient->a, rest->a) && ir_equal(quotient->b, rest->b) && ir_equal(b, rest->b);
    return same && ir_span_of(az, b).min > 0 ? rest->a : NULL;
}

/* x // m * m + x % m is x: one such pair replaced. */
static bool rejoin(ir_analyzer *az, ir_linear *l, ir_type type)
{
    for (size_t i = 0; i < l->n; ++i) {
        for (size_t j = 0; j < l->n; ++j) {
            if (i == j || l->terms[i].coeff != l->terms[j].coeff) continue;
            const ir_node *x = rejoined(az, l->terms[i].atom, l->terms[j].atom);
            ir_linear part, whole = *l;
            if (x == NULL || !ir_linear_of(ir_fold_cast(az->mem, type, x), &part)) continue;
            int64_t scale = l->terms[i].coeff;
            bool ok = ir_linear_term(&whole, l->terms[i].atom, -scale) && ir_linear_term(&whole, l->terms[j].atom, -scale) &&
                      ir_linear_add(&whole, &part, scale);
            if (!ok) continue;
            *l = whole;
            return true;
        }
    }
    return false;
}

const ir_node *ir_simplify_linear(ir_analyzer *az, ir_linear *l, const ir_node *old)
{
    ir_linear_join(az->mem, l);
    while (rejoin(az, l, old->type)) continue;
    const ir_node *fresh = ir_linear_node(az->mem, l, old->type, old->at);
    return ir_equal(fresh, old) ? old : fresh;
}

static const ir_node *plain_bin(simplifier *s, const ir_bin *n, const ir_node *a, const ir_node *b)
{
    if (a == n->a && b == n->b) {
        const ir_node *folded = ir_fold_bin(s->r.mem, n->op, a, b);
        return ir_equal(folded, &n->node) ? &n->node : folded;
    }
    return ir_fold_bin(s->r.mem, n->op, a, b);
}

/* uint(i * 4) * 4 is uint(i) * 16: a cast that keeps all bits lets a product through, whatever wraps. */
static bool add_atom(arena *mem, ir_linear *l, const ir_node *atom, int64_t coeff)
{
    ir_linear part;
    bool through = coeff != 1 && atom->kind == IR_CAST && atom->type.code == IR_UINT && ir_type_is_int(ir_as_cast(atom)->a->type) &&
                   ir_as_cast(atom)->a->type.bits >= atom->type.bits;
    if (through && ir_linear_of(ir_as_cast(atom)->a, &part) && part.n == 1 && part.constant == 0 && part.terms[0].coeff != 1) {
        int64_t product;
        if (!ir_mul_exact(coeff, part.terms[0].coeff, &product)) return false;
        return ir_linear_term(l, ir_fold_cast(mem, atom->type, part.terms[0].atom), product);
    }
    return ir_linear_of(atom, &part) && ir_linear_add(l, &part, coeff);
}

/* A sum is taken apart once, its atoms are simplified, and it is put together again. */
static const ir_node *simplify_sum(simplifier *s, const ir_bin *n)
{
    ir_linear old, fresh = {0};
    bool ok = ir_linear_of(&n->node, &old) && !(old.n == 1 && old.terms[0].atom == &n->node);
    fresh.constant = old.constant;
    for (size_t i = 0; ok && i < old.n; ++i) {
        ok = add_atom(s->r.mem, &fresh, simplify(s, old.terms[i].atom), old.terms[i].coeff);
    }
    if (ok) return ir_simplify_linear(s->az, &fresh, &n->node);
    const ir_node *a = simplify(s, n->a), *b = simplify(s, n->b);
    const ir_node *made = plain_bin(s, n, a, b);
    if (made == &n->node || !ir_linear_of(made, &fresh)) return made;
    return ir_simplify_linear(s->az, &fresh, made);
}

/* ---- Other operators ------------------------------------------------------------------------- */

/* `a and b`: b is looked at where a holds; for `or`, where it does not. */
static const ir_node *simplify_logic(simplifier *s, const ir_bin *n)
{
    bool is_and = n->op == IR_AND;
    const ir_node *a = simplify(s, n->a);
    if (n->node.type.lanes != 1) return plain_bin(s, n, a, simplify(s, n->b));
    const ir_node *b = simplify_where(s, n->b, a, is_and);
    /* Where b alone decides, a goes; not so where a may guard what b reads. */
    if (!ir_reads_memory(b) && !ir_has_effect(a)) {
        ir_analyzer_mark mark = ir_analyzer_save(s->az);
        ir_assume_here(s->az, b, is_and);
        int known = ir_decide(s->az, a);
        ir_analyzer_restore(s->az, mark);
        if (known == is_and) return b;
    }
    return plain_bin(s, n, a, b);
}

static const ir_node *simplify_bin(simplifier *s, const ir_bin *n)
{
    if (n->op == IR_AND || n->op == IR_OR) return simplify_logic(s, n);
    ir_type type = n->a->type;
    bool integers = ir_type_is_int(type);
    bool scalar = type.lanes == 1;
    bool sum = n->op == IR_ADD || n->op == IR_SUB || n->op == IR_MUL || n->op == IR_SHL;
    if (integers && scalar && sum) return simplify_sum(s, n);
    const ir_node *a = simplify(s, n->a), *b = simplify(s, n->b);
    const ir_node *made = plain_bin(s, n, a, b);
    if (!integers || made->kind != IR_BIN || ir_as_bin(made)->op != n->op) return made;
    a = ir_as_bin(made)->a;
    b = ir_as_bin(made)->b;
    if (!scalar) return ir_simplify_vector(s->az, n->op, a, b);
    switch ((int)n->op) {
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD: return ir_simplify_division(s->az, n->op, a, b);
    case IR_MIN:
    case IR_MAX: return ir_simplify_minmax(s->az, n->op, a, b);
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: return ir_simplify_compare(s->az, n->op, a, b);
    default: return made;
    }
}

static ir_op opposite(ir_op op)
{
    static const ir_op table[] = {[IR_EQ] = IR_NE, [IR_NE] = IR_EQ, [IR_LT] = IR_GE,
                                  [IR_LE] = IR_GT, [IR_GT] = IR_LE, [IR_GE] = IR_LT};
    return table[op];
}

static const ir_node *simplify_not(simplifier *s, const ir_node *n)
{
    const ir_node *a = simplify(s, ir_as_not(n)->a);
    if (a->kind == IR_BIN && ir_type_is_int(ir_as_bin(a)->a->type)) {
        const ir_bin *b = ir_as_bin(a);
        return ir_fold_bin(s->r.mem, opposite(b->op), b->a, b->b);
    }
    return a == ir_as_not(n)->a && a->kind != IR_INT_IMM && a->kind != IR_NOT
               ? n
               : ir_fold_not(s->r.mem, a);
}

/* ---- Choices --------------------------------------------------------------------------------- */

/* Both arms are evaluated, so an arm that reads memory must not lean on the condition. */
static const ir_node *simplify_arm(simplifier *s, const ir_node *arm, const ir_node *cond,
                                   bool holds)
{
    bool leans = cond->type.lanes == 1 && !ir_reads_memory(arm);
    return leans ? simplify_where(s, arm, cond, holds) : simplify(s, arm);
}

static const ir_node *simplify_select(simplifier *s, const ir_node *node)
{
    const ir_select *n = ir_as_select(node);
    const ir_node *cond = simplify(s, n->cond);
    int known = ir_decide(s->az, cond);
    if (known >= 0) return simplify(s, known ? n->yes : n->no);
    const ir_node *yes = simplify_arm(s, n->yes, cond, true);
    const ir_node *no = simplify_arm(s, n->no, cond, false);
    if (ir_equal(yes, no)) return yes;
    if (cond == n->cond && yes == n->yes && no == n->no && cond->kind != IR_BROADCAST) return node;
    return ir_fold_select(s->r.mem, cond, yes, no);
}

static const ir_node *simplify_choice(simplifier *s, const ir_call *n)
{
    const ir_node *cond = simplify(s, n->args.at[0]);
    int known = ir_decide(s->az, cond);
    if (known >= 0) return simplify(s, n->args.at[known ? 1 : 2]);
    bool scalar = cond->type.lanes == 1;
    const ir_node *yes =
        scalar ? simplify_where(s, n->args.at[1], cond, true) : simplify(s, n->args.at[1]);
    const ir_node *no =
        scalar ? simplify_where(s, n->args.at[2], cond, false) : simplify(s, n->args.at[2]);
    if (ir_equal(yes, no)) return yes;
    if (cond == n->args.at[0] && yes == n->args.at[1] && no == n->args.at[2]) return &n->node;
    const ir_node *args[] = {cond, yes, no};
    return ir_call_new(s->r.mem, n->fn, n->node.type, ir_list_copy(s->r.mem, args, 3), n->node.at);
}

static const ir_node *simplify_call(simplifier *s, const ir_node *node)
{
    const ir_call *n = ir_as_call(node);
    if (n->fn == IR_FN_IF_THEN_ELSE && n->args.n == 3) return simplify_choice(s, n);
    const ir_node *fresh = ir_rewrite_children(&s->r, node);
    const ir_call *c = ir_as_call(fresh);
    const ir_node *folded = ir_fold_call(s->r.mem, c->fn, node->type, c->args, node->at);
    return folded->kind == IR_CALL ? fresh : folded;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static const ir_node *simplify_var(simplifier *s, const ir_node *n)
{
    const ir_known *k = ir_known_of(s->az, ir_as_var_ref(n)->var);
    if (k == NULL) return n;
    if (ir_type_is_int(n->type) && ir_span_is_one(k->range)) {
        return ir_int_new(s->r.mem, n->type, k->range.min, n->at);
    }
    bool name = k->value != NULL && (k->value->kind == IR_VAR || k->value->kind == IR_INT_IMM ||
                                     k->value->kind == IR_FLOAT_IMM);
    return name && ir_type_eq(k->value->type, n->type) ? k->value : n;
}

/* Does every value of `from` that `a` can have keep its number in the integer type `to`? */
static bool keeps(ir_analyzer *az, const ir_node *a, ir_type to)
{
    ir_span s = ir_span_of(az, a);
    s.assumed = false;
    if (a->type.bits == 64 && to.bits == 64 && a->type.code == to.code) return true;
    if (s.min == IR_NEG_INF && a->type.bits < 64) s.min = ir_type_min(a->type);
    if (s.max == IR_POS_INF && a->type.bits < 64) s.max = ir_type_max(a->type);
    return ir_span_fits(s, to);
}

static const ir_node *simplify_cast(simplifier *s, const ir_node *n)
{
    const ir_node *a = simplify(s, ir_as_cast(n)->a);
    if (a->kind == IR_CAST && ir_type_is_int(n->type) && ir_type_is_int(a->type)) {
        /* Through a type that holds the value, or that is no narrower than the last one: that one
         * alone. */
        const ir_node *inner = ir_as_cast(a)->a;
        bool whole = ir_type_is_int(inner->type) &&
                     (keeps(s->az, inner, a->type) || a->type.bits >= n->type.bits);
        if (whole) return ir_fold_cast(s->r.mem, n->type, inner);
    }
    if (a == ir_as_cast(n)->a && a->kind != IR_INT_IMM && a->kind != IR_BROADCAST) return n;
    return ir_fold_cast(s->r.mem, n->type, a);
}

static const ir_node *simplify_ramp(simplifier *s, const ir_node *n)
{
    const ir_node *fresh = ir_rewrite_children(&s->r, n);
    const ir_ramp *r = ir_as_ramp(fresh);
    return ir_is_const(r->stride, 0) ? ir_broadcast_new(s->r.mem, r->base, n->type.lanes) : fresh;
}

static const ir_node *simplify_let(simplifier *s, const ir_node *node)
{
    const ir_let *n = ir_as_let(node);
    const ir_node *value = simplify(s, n->value);
    if (value->kind == IR_VAR || value->kind == IR_INT_IMM || value->kind == IR_FLOAT_IMM) {
        return simplify(s, ir_substitute_one(s->r.mem, n->body, n->var, value));
    }
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    ir_analyzer_let(s->az, n->var, value);
    const ir_node *body = simplify(s, n->body);
    ir_analyzer_restore(s->az, mark);
    if (!ir_uses_var(body, n->var)) return body;
    if (value == n->value && body == n->body) return node;
    return ir_make(s->r.mem, LET, let, node->at, body->type, .var = n->var, .value = value,
                   .body = body);
}

static const ir_node *simplify_kind(simplifier *s, const ir_node *n)
{
    switch ((int)n->kind) {
    case IR_VAR: return simplify_var(s, n);
    case IR_BIN: return simplify_bin(s, ir_as_bin(n));
    case IR_NOT: return simplify_not(s, n);
    case IR_SELECT: return simplify_select(s, n);
    case IR_CAST: return simplify_cast(s, n);
    case IR_RAMP: return simplify_ramp(s, n);
    case IR_LET: return simplify_let(s, n);
    case IR_CALL: return simplify_call(s, n);
    case IR_REDUCER: return n;
    default: return ir_rewrite_children(&s->r, n);
    }
}

static const ir_node *simplify(simplifier *s, const ir_node *n)
{
    if (s->az->depth >= IR_ANALYZER_DEPTH) return n;
    ++s->az->depth;
    /* What has an effect stays where it is; only its parts are looked at. */
    bool keep = s->effects && ir_has_effect(n);
    const ir_node *fresh = keep ? ir_rewrite_children(&s->r, n) : simplify_kind(s, n);
    --s->az->depth;
    return fresh;
}

const ir_node *ir_simplify(ir_analyzer *az, const ir_node *expr)
{
    ir_analyzer_begin(az);
    simplifier s = {
        .r = {.mem = az->mem, .node = simplify_child}, .az = az, .effects = ir_has_effect(expr)};
    return simplify(&s, expr);
}
