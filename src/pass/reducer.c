/* Matching a block against the reducers that threads can carry out together. */
#include "pass/reducer.h"

#include "ir/fold.h"

#include <math.h>

enum { PART_LIMIT = 8 };

typedef struct match {
    ir_rewrite r;
    arena *mem;
    const ir_block *block;
    reducer_part parts[PART_LIMIT];
    const ir_var *kept[PART_LIMIT];     /* stands for the value kept in part i */
    const ir_var *fresh[PART_LIMIT];    /* stands for the value contributed to part i */
    const ir_node *results[PART_LIMIT]; /* over `kept` and the block's own expressions */
    bool stored[PART_LIMIT];
    size_t n;
    map values; /* BIND variable or local scalar (buffer) -> its value */
    const char *why;
} match;

/* ---- Reading init and body ------------------------------------------------------------------- */

static const ir_node *const *statements(const ir_node *const *root, size_t *n)
{
    if ((*root)->kind != IR_SEQ) {
        *n = 1;
        return root;
    }
    *n = ir_as_seq(*root)->body.n;
    return ir_as_seq(*root)->body.at;
}

static bool same_list(ir_list a, ir_list b)
{
    bool same = a.n == b.n;
    for (size_t i = 0; same && i < a.n; ++i) same = ir_equal(a.at[i], b.at[i]);
    return same;
}

static void read_init(match *m)
{
    size_t n;
    const ir_node *const *at = statements(&m->block->init, &n);
    for (size_t i = 0; i < n && m->why == NULL; ++i) {
        if (at[i]->kind != IR_STORE) {
            m->why = "its init is more than stores";
        } else if (m->n == PART_LIMIT) {
            m->why = "it keeps too many values";
        } else {
            const ir_store *s = ir_as_store(at[i]);
            m->parts[m->n++] =
                (reducer_part){.buffer = s->buffer, .index = s->index, .init = s->value};
        }
    }
    for (size_t i = 0; i < m->n; ++i) {
        ir_type type = m->parts[i].init->type;
        m->kept[i] = ir_var_new(m->mem, str_format(m->mem, "x%zu", i), type, m->block->node.at);
        m->fresh[i] = ir_var_new(m->mem, str_format(m->mem, "y%zu", i), type, m->block->node.at);
    }
}

static size_t part_of(const match *m, const ir_buffer *b)
{
    size_t i = 0;
    while (i < m->n && m->parts[i].buffer != b) ++i;
    return i;
}

static const ir_node *resolve_load(match *m, const ir_node *n)
{
    const ir_load *l = ir_as_load(n);
    const ir_node *value = map_get_id(&m->values, l->buffer);
    if (value != NULL) return value;
    size_t part = part_of(m, l->buffer);
    if (part == m->n) return n;
    if (!same_list(l->index, m->parts[part].index)) {
        m->why = "it reads another element of its result";
    } else if (m->stored[part]) {
        m->why = "it reads a result that it has just stored";
    }
    return ir_ref(m->mem, m->kept[part], n->at);
}

/* Names by their values, kept values by their variables. */
static const ir_node *resolve(ir_rewrite *r, const ir_node *n)
{
    match *m = (match *)(void *)r;
    n = ir_rewrite_children(r, n);
    if (n->kind == IR_LOAD) return resolve_load(m, n);
    if (n->kind != IR_VAR) return n;
    const ir_node *value = map_get_id(&m->values, ir_as_var_ref(n)->var);
    return value != NULL ? value : n;
}

static void read_store(match *m, const ir_store *s)
{
    size_t part = part_of(m, s->buffer);
    const ir_node *value = resolve(&m->r, s->value);
    if (part == m->n) {
        if (map_get_id(&m->values, s->buffer) == NULL) m->why = "it stores what its init does not";
        map_put_id(m->mem, &m->values, s->buffer, value);
        return;
    }
    if (!same_list(s->index, m->parts[part].index)) m->why = "its init stores other elements";
    if (m->stored[part]) m->why = "it stores a result twice";
    m->stored[part] = true;
    m->results[part] = value;
}

static void read_body(match *m)
{
    size_t n;
    const ir_node *const *at = statements(&m->block->body, &n);
    for (size_t i = 0; i < n && m->why == NULL; ++i) {
        if (at[i]->kind == IR_BIND) {
            const ir_bind *b = ir_as_bind(at[i]);
            map_put_id(m->mem, &m->values, b->var, resolve(&m->r, b->value));
        } else if (at[i]->kind == IR_ALLOC) {
            const ir_buffer *b = ir_as_alloc(at[i])->buffer;
            bool scalar =
                b->scope == IR_SCOPE_LOCAL && b->shape.n == 1 && ir_is_const(b->shape.at[0], 1);
            if (!scalar) m->why = "it allocates memory";
            map_put_id(m->mem, &m->values, b, ir_fold_cast(m->mem, b->type, ir_i32(m->mem, 0)));
        } else if (at[i]->kind == IR_STORE) {
            read_store(m, ir_as_store(at[i]));
        } else {
            m->why = "its body is more than stores";
        }
    }
    for (size_t i = 0; i < m->n; ++i) {
        if (!m->stored[i] && m->why == NULL) m->why = "it does not store all that its init does";
    }
}

/* ---- Simple reducers ------------------------------------------------------------------------- */

static bool uses_kept(const match *m, const ir_node *e)
{
    bool uses = false;
    for (size_t i = 0; i < m->n; ++i) uses |= ir_uses_var(e, m->kept[i]);
    return uses;
}

static bool is_kept(const match *m, const ir_node *e, size_t part)
{
    return e->kind == IR_VAR && ir_as_var_ref(e)->var == m->kept[part];
}

/* The neutral element of the operator; NULL where it has none in this type. */
static const ir_node *identity(arena *mem, ir_op op, ir_type type, span at)
{
    if (type.lanes != 1 || ir_type_is_small_float(type)) return NULL;
    bool is_float = ir_type_is_float(type);
    int64_t most = type.code == IR_UINT && type.bits == 64 ? -1 : ir_type_max(type);
    if (op == IR_ADD || op == IR_BITOR || op == IR_BITXOR || op == IR_OR) {
        return is_float ? ir_float_new(mem, type, 0, at) : ir_int_new(mem, type, 0, at);
    }
    if (op == IR_MUL || op == IR_AND) {
        return is_float ? ir_float_new(mem, type, 1, at) : ir_int_new(mem, type, 1, at);
    }
    if (op == IR_BITAND) return ir_int_new(mem, type, -1, at);
    if (op == IR_MIN)
        return is_float ? ir_float_new(mem, type, (double)INFINITY, at)
                        : ir_int_new(mem, type, most, at);
    if (op == IR_MAX) {
        return is_float ? ir_float_new(mem, type, -(double)INFINITY, at)
                        : ir_int_new(mem, type, ir_type_min(type), at);
    }
    return NULL;
}

/* Takes the kept value of `part` out of a chain of one operator: (x + a) + b gives a + b. NULL
 * where x is not there exactly once. */
static const ir_node *without_kept(match *m, ir_op op, const ir_node *e, size_t part)
{
    if (e->kind != IR_BIN || ir_as_bin(e)->op != op) return NULL;
    const ir_node *a = ir_as_bin(e)->a, *b = ir_as_bin(e)->b;
    if (uses_kept(m, a) == uses_kept(m, b)) return NULL;
    const ir_node *with = uses_kept(m, a) ? a : b;
    const ir_node *other = with == a ? b : a;
    if (is_kept(m, with, part)) return other;
    const ir_node *rest = without_kept(m, op, with, part);
    return rest == NULL ? NULL : ir_fold_bin(m->mem, op, rest, other);
}

/* Part `i` as x op y with a known op; gives the reducer's result, identity. */
static bool match_simple(match *m, size_t i, const ir_node **result, const ir_node **neutral)
{
    const ir_node *e = m->results[i];
    if (e->kind != IR_BIN) return false;
    ir_op op = ir_as_bin(e)->op;
    *neutral = identity(m->mem, op, e->type, e->at);
    const ir_node *value = *neutral != NULL ? without_kept(m, op, e, i) : NULL;
    if (value == NULL) return false;
    reducer_part *part = &m->parts[i];
    part->value = value;
    /* min(init, min(init, x)) is min(init, x): any constant will do to start with. */
    bool once_or_more = op == IR_MIN || op == IR_MAX || op == IR_AND || op == IR_OR ||
                        op == IR_BITAND || op == IR_BITOR;
    bool constant = part->init->kind == IR_INT_IMM || part->init->kind == IR_FLOAT_IMM;
    if (once_or_more && constant) *neutral = part->init;
    part->starts_apart = !ir_equal(part->init, *neutral);
    *result = ir_bin_new(m->mem, op, ir_ref(m->mem, m->kept[i], e->at),
                         ir_ref(m->mem, m->fresh[i], e->at));
    return true;
}

/* ---- Choices between tuples ------------------------------------------------------------------ */

typedef struct choice {
    const ir_node *cond, *yes, *no;
} choice;

static bool choice_of(const ir_node *e, choice *out)
{
    if (e->kind == IR_SELECT) {
        const ir_select *s = ir_as_select(e);
        *out = (choice){s->cond, s->yes, s->no};
        return true;
    }
    if (e->kind != IR_CALL || ir_as_call(e)->fn != IR_FN_IF_THEN_ELSE) return false;
    ir_list args = ir_as_call(e)->args;
    *out = (choice){args.at[0], args.at[1], args.at[2]};
    return true;
}

/* The contribution to part `i`, where its result is a choice, a min or a max of it and the kept
 * value. */
static const ir_node *chosen_value(match *m, size_t i)
{
    const ir_node *e = m->results[i];
    choice c;
    if (choice_of(e, &c)) {
        const ir_node *other = is_kept(m, c.yes, i) ? c.no : is_kept(m, c.no, i) ? c.yes : NULL;
        return other != NULL && !uses_kept(m, other) ? other : NULL;
    }
    if (e->kind != IR_BIN || (ir_as_bin(e)->op != IR_MIN && ir_as_bin(e)->op != IR_MAX))
        return NULL;
    return without_kept(m, ir_as_bin(e)->op, e, i);
}

/* Contributions replaced by the variables that stand for them. */
static const ir_node *abstract(ir_rewrite *r, const ir_node *n)
{
    match *m = (match *)(void *)r;
    for (size_t i = 0; i < m->n; ++i) {
        if (ir_equal(n, m->parts[i].value)) return ir_ref(r->mem, m->fresh[i], n->at);
    }
    return ir_rewrite_children(r, n);
}

/* Which part a variable stands for; m->n for another expression. */
static size_t operand_part(const match *m, const ir_node *e)
{
    size_t i = m->n;
    if (e->kind != IR_VAR) return i;
    for (i = 0; i < m->n; ++i) {
        if (ir_as_var_ref(e)->var == m->kept[i] || ir_as_var_ref(e)->var == m->fresh[i]) return i;
    }
    return i;
}

/* Comparisons of a part with itself, joined by and, or, not: an order on tuples. */
static bool is_order(const match *m, const ir_node *cond)
{
    if (cond->kind == IR_NOT) return is_order(m, ir_as_not(cond)->a);
    if (cond->kind != IR_BIN) return false;
    const ir_bin *b = ir_as_bin(cond);
    if (b->op == IR_AND || b->op == IR_OR) return is_order(m, b->a) && is_order(m, b->b);
    size_t part = operand_part(m, b->a);
    return ir_ops[b->op].result == IR_RESULT_TRUTH && part != m->n && part == operand_part(m, b->b);
}

/* Are all choices made by one condition, the kept value on the same side? */
static bool one_condition(const match *m)
{
    choice first = {0}, c;
    size_t first_part = 0;
    for (size_t i = 0; i < m->n; ++i) {
        if (!choice_of(m->results[i], &c)) continue;
        if (first.cond == NULL) {
            first = c;
            first_part = i;
        }
        bool same_side = is_kept(m, c.yes, i) == is_kept(m, first.yes, first_part);
        if (!same_side || !ir_equal(c.cond, first.cond)) return false;
    }
    return first.cond != NULL;
}

/* Is what part `i` is offered the number of the iteration: a reduction variable itself? */
static bool counts_iterations(const match *m, size_t i)
{
    const ir_node *e = m->parts[i].value;
    if (e->kind == IR_CAST) e = ir_as_cast(e)->a;
    if (e->kind != IR_VAR) return false;
    for (size_t k = 0; k < m->block->iters.n; ++k) {
        const ir_iter *it = &m->block->iters.at[k];
        if (it->kind == IR_REDUCE && it->var == ir_as_var_ref(e)->var) return true;
    }
    return false;
}

/* Of an index and a value compared with < or the like: equal values are told apart by the index, so
 * that the first iteration (or the last, where the newcomer wins) is found in whatever order
 * threads meet. */
static void settle_ties(match *m, const ir_node **results)
{
    arena *mem = m->mem;
    size_t index = counts_iterations(m, 0) ? 0 : 1, value = 1 - index;
    choice c;
    if (m->n != 2 || !counts_iterations(m, index) || !choice_of(results[index], &c)) return;
    if (c.cond->kind != IR_BIN || operand_part(m, ir_as_bin(c.cond)->a) != value) return;
    const ir_bin *test = ir_as_bin(c.cond);
    bool less = test->op == IR_LT || test->op == IR_LE,
         open = test->op == IR_LT || test->op == IR_GT;
    if (!less && test->op != IR_GT && test->op != IR_GE) return;
    bool first_wins = is_kept(m, c.yes, index) != open;
    const ir_node *tie = first_wins ? ir_le(mem, c.yes, c.no) : ir_ge(mem, c.yes, c.no);
    const ir_node *apart = less ? ir_lt(mem, test->a, test->b) : ir_gt(mem, test->a, test->b);
    const ir_node *cond = ir_or(mem, apart, ir_and(mem, ir_eq(mem, test->a, test->b), tie));
    for (size_t i = 0; i < m->n; ++i) {
        if (choice_of(results[i], &c)) results[i] = ir_fold_select(mem, cond, c.yes, c.no);
    }
}

static bool match_choice(match *m, const ir_node **results, const ir_node **neutral)
{
    for (size_t i = 0; i < m->n; ++i) {
        m->parts[i].value = chosen_value(m, i);
        if (m->parts[i].value == NULL) return false;
    }
    if (!one_condition(m)) return false;
    m->r.node = abstract;
    for (size_t i = 0; i < m->n; ++i) {
        results[i] = abstract(&m->r, m->results[i]);
        neutral[i] = m->parts[i].init;
        choice c;
        if (choice_of(results[i], &c) && !is_order(m, c.cond)) return false;
        if (neutral[i]->kind != IR_INT_IMM && neutral[i]->kind != IR_FLOAT_IMM) return false;
    }
    settle_ties(m, results);
    return true;
}

/* ---- All together ---------------------------------------------------------------------------- */

static bool find_reducer(match *m, const ir_node **results, const ir_node **neutral)
{
    bool simple = true;
    for (size_t i = 0; simple && i < m->n; ++i)
        simple = match_simple(m, i, &results[i], &neutral[i]);
    if (simple) return true;
    for (size_t i = 0; i < m->n; ++i) m->parts[i].starts_apart = false;
    return match_choice(m, results, neutral);
}

static void check_indices(match *m)
{
    for (size_t i = 0; i < m->n; ++i) {
        for (size_t j = 0; j < m->parts[i].index.n; ++j) {
            for (size_t k = 0; k < m->block->iters.n; ++k) {
                const ir_iter *it = &m->block->iters.at[k];
                if (it->kind == IR_REDUCE && ir_uses_var(m->parts[i].index.at[j], it->var)) {
                    m->why = "its result is indexed by a reduction variable";
                }
            }
        }
    }
}

const char *reducer_match(arena *mem, const ir_block *b, reducer *out)
{
    match *m = arena_new(mem, match);
    *m = (match){.r = {.mem = mem, .node = resolve}, .mem = mem, .block = b};
    read_init(m);
    if (m->why == NULL) read_body(m);
    if (m->why == NULL) check_indices(m);
    if (m->why != NULL) return m->why;
    const ir_node *results[PART_LIMIT], *neutral[PART_LIMIT];
    if (!find_reducer(m, results, neutral)) {
        return "known are sum, product, min, max, bitwise and logical ones, argmin and argmax from "
               "a constant";
    }
    ir_vars lhs = {arena_copy(mem, m->kept, m->n * sizeof *m->kept), m->n};
    ir_vars rhs = {arena_copy(mem, m->fresh, m->n * sizeof *m->fresh), m->n};
    const ir_node *fn = ir_make(mem, REDUCER, reducer, b->node.at, IR_POINTER, .lhs = lhs,
                                .rhs = rhs, .result = ir_list_copy(mem, results, m->n),
                                .identity = ir_list_copy(mem, neutral, m->n));
    *out = (reducer){m->parts, m->n, ir_as_reducer(fn)};
    return NULL;
}

const ir_node *reducer_apply(arena *mem, const ir_reducer *fn, size_t i, const ir_node *const *lhs,
                             const ir_node *const *rhs)
{
    map by = {0};
    for (size_t j = 0; j < fn->lhs.n; ++j) {
        map_put_id(mem, &by, fn->lhs.at[j], lhs[j]);
        map_put_id(mem, &by, fn->rhs.at[j], rhs[j]);
    }
    return ir_substitute(mem, fn->result.at[i], &by);
}
