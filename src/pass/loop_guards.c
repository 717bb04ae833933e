/* Finding a loop's guards, and taking them out. */
#include "pass/loop_guards.h"

#include "ir/analyzer.h"
#include "ir/fold.h"

/* ---- One comparison ------------------------------------------------------------------------------ */

/* a <= b (strict: a < b) as a form that is at most 0. */
static bool form_of(guard_search *s, const ir_node *a, const ir_node *b, bool strict, ir_linear *out)
{
    ir_linear right;
    if (!ir_linear_exact(s->az, a, out) || !ir_linear_exact(s->az, b, &right)) return false;
    return ir_linear_add(out, &right, -1) && ir_add_exact(out->constant, strict, &out->constant);
}

typedef struct var_search {
    ir_walk w;
    const map *known;
    bool other;
} var_search;

static void note_use(ir_walk *w, const ir_var *v)
{
    var_search *f = (var_search *)(void *)w;
    f->other |= map_get_id(f->known, v) == NULL;
}

static void note_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

/* Can the expression be evaluated before the loop? */
static bool is_outside(const guard_search *s, const ir_node *e)
{
    if (ir_reads_memory(e) || ir_has_effect(e)) return false;
    var_search f = {.w = {.node = note_node, .use_var = note_use}, .known = s->outside};
    note_node(&f.w, e);
    return !f.other;
}

/* Adds the largest value of atom * coeff, whatever round it is, to *sum. */
static bool add_most(guard_search *s, ir_term t, int64_t *sum)
{
    ir_interval range = ir_bound(s->az, t.atom);
    int64_t end = t.coeff > 0 ? range.max : range.min, most;
    if (end == IR_POS_INF || end == IR_NEG_INF || !ir_mul_exact(end, t.coeff, &most)) return false;
    return ir_add_exact(*sum, most, sum);
}

static void consider(guard_search *s, const ir_node *cond)
{
    ir_linear form;
    loop_guard g = {.cond = cond};
    if (cond->kind != IR_BIN || cond->type.lanes != 1) return;
    const ir_bin *n = ir_as_bin(cond);
    bool up = n->op == IR_LT || n->op == IR_LE, down = n->op == IR_GT || n->op == IR_GE;
    bool strict = n->op == IR_LT || n->op == IR_GT;
    if ((!up && !down) || !ir_type_is_int(n->a->type)) return;
    if (!form_of(s, up ? n->a : n->b, up ? n->b : n->a, strict, &form)) return;
    g.most = form.constant;
    g.only_there = true;
    for (size_t i = 0; i < form.n; ++i) {
        ir_term t = form.terms[i];
        bool is_var = t.atom->kind == IR_VAR && ir_as_var_ref(t.atom)->var == s->var;
        if (is_var) {
            g.coeff = t.coeff;
        } else if (is_outside(s, t.atom)) {
            g.sum.terms[g.sum.n++] = t;
        } else {
            g.only_there = false;
            if (!add_most(s, t, &g.most)) return;
        }
    }
    if (g.coeff != 0) loop_guard_vec_push(s->mem, &s->found, g);
}

static void consider_all(guard_search *s, const ir_node *cond)
{
    if (cond->kind == IR_CALL && ir_builtin_is_hint(ir_as_call(cond)->fn)) cond = ir_as_call(cond)->args.at[0];
    if (cond->kind == IR_BIN && ir_as_bin(cond)->op == IR_AND) {
        consider_all(s, ir_as_bin(cond)->a);
        consider_all(s, ir_as_bin(cond)->b);
        return;
    }
    consider(s, cond);
}

/* ---- The body ------------------------------------------------------------------------------------ */

static void search(ir_walk *w, const ir_node *n)
{
    guard_search *s = (guard_search *)(void *)w;
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    bool loop = n->kind == IR_FOR;
    if (loop) ir_analyzer_bind(s->az, ir_as_for(n)->var, ir_as_for(n)->min, ir_as_for(n)->extent);
    if (n->kind == IR_IF) consider_all(s, ir_as_if(n)->cond);
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_IF_THEN_ELSE) consider_all(s, ir_as_call(n)->args.at[0]);
    ir_walk_children(w, n);
    if (loop) ir_analyzer_restore(s->az, mark);
}

void loop_guards_find(guard_search *s, const ir_node *body)
{
    s->w = (ir_walk){.node = search};
    search(&s->w, body);
}

/* ---- Taking out ---------------------------------------------------------------------------------- */

typedef struct without {
    ir_rewrite r;
    const map *conds;
    bool hold;
} without;

/* The arm that a constant condition takes; NULL: not constant. */
static const ir_node *taken(arena *mem, const ir_node *n)
{
    int64_t holds;
    if (n->kind == IR_IF && ir_const_value(ir_as_if(n)->cond, &holds)) {
        const ir_node *arm = holds != 0 ? ir_as_if(n)->yes : ir_as_if(n)->no;
        return arm != NULL ? arm : ir_nop(mem);
    }
    if (n->kind != IR_CALL || ir_as_call(n)->args.n == 0) return NULL;
    const ir_call *c = ir_as_call(n);
    if (!ir_const_value(c->args.at[0], &holds)) return NULL;
    if (ir_builtin_is_hint(c->fn)) return c->args.at[0];
    return c->fn == IR_FN_IF_THEN_ELSE ? c->args.at[holds != 0 ? 1 : 2] : NULL;
}

static const ir_node *take_out(ir_rewrite *r, const ir_node *n)
{
    const without *o = (const without *)(const void *)r;
    if (map_get_id(o->conds, n) != NULL) return ir_bool(r->mem, o->hold);
    const ir_node *fresh = ir_rewrite_children(r, n);
    if (fresh == n) return n;
    if (n->kind == IR_BIN) return ir_fold_bin(r->mem, ir_as_bin(fresh)->op, ir_as_bin(fresh)->a, ir_as_bin(fresh)->b);
    if (n->kind == IR_NOT) return ir_fold_not(r->mem, ir_as_not(fresh)->a);
    const ir_node *arm = taken(r->mem, fresh);
    if (arm != NULL) return arm;
    bool empty = n->kind == IR_FOR && ir_is_nop(ir_as_for(fresh)->body);
    return empty && !ir_has_effect(ir_as_for(fresh)->extent) ? ir_nop(r->mem) : fresh;
}

const ir_node *loop_guards_without(arena *mem, const ir_node *body, const map *conds, bool hold)
{
    without o = {.r = {.mem = mem, .node = take_out}, .conds = conds, .hold = hold};
    return take_out(&o.r, body);
}
