/* narrow_index: index arithmetic of 64 bits is done in 32 where 32 are proved enough.
 *
 * Why: 64-bit integers cost a GPU several instructions each, and flatten_buffer computes in 64 bits wherever the
 * buffer's size is not known to fit in 32.
 *
 *     for i in range(T.int64(16)):            for i in range(16):
 *         if i * n + j < 100:         ->          if i * n + j < 100:        (n: 64 bits, unknown)
 *             B[i * 4 + j] = 0                        B[i * 4 + j] = 0       (now 32 bits)
 *
 * An expression gets 32 bits where its value and those of all its parts lie within them, as the ranges of variables
 * and the conditions around it show; the largest such part of one that does not. Variables of loops, of thread axes
 * and of immutable bindings follow. Left alone: values that are stored, unsigned 64-bit values, what is loaded from
 * memory, whatever is not proved. Nothing is taken on trust: an end that is not known counts as that of the type. */
#include "ir/fold.h"
#include "ir/simplify.h"
#include "ir/walk.h"
#include "pass/pass.h"
#include "pass/shapes.h"

typedef struct narrow {
    ir_rewrite r;
    ir_analyzer *az;
    map by;    /* variable of 64 bits -> the one of 32 bits in its place */
    map fixed; /* variables that the shape of a buffer mentions: they stay */
    bool value; /* in a value that is stored: computed as written */
} narrow;

/* Larger expressions are left alone: each part is asked for its range. */
enum { MOST_NODES = 400, MOST_DEPTH = 60 };

static bool is_wide(ir_type t)
{
    return t.code == IR_INT && t.bits == 64;
}

static bool fits(narrow *s, const ir_node *e)
{
    ir_interval range = ir_bound(s->az, e);
    return range.min >= INT32_MIN && range.max <= INT32_MAX;
}

/* ---- Expressions ------------------------------------------------------------------------------- */

static const ir_node *small(narrow *s, const ir_node *e);

static const ir_node *visit(ir_rewrite *r, const ir_node *n);

static const ir_node *small_bin(narrow *s, const ir_bin *n)
{
    if (!fits(s, &n->node)) return NULL;
    const ir_node *a = small(s, n->a), *b = a != NULL ? small(s, n->b) : NULL;
    return b != NULL ? ir_fold_bin(s->r.mem, n->op, a, b) : NULL;
}

static const ir_node *small_cast(narrow *s, const ir_node *e)
{
    const ir_node *from = ir_as_cast(e)->a;
    if (!ir_type_is_int(from->type) || !fits(s, e)) return NULL;
    return ir_fold_cast(s->r.mem, ir_type_lanes(IR_I32, e->type.lanes), visit(&s->r, from));
}

static const ir_node *small_ramp(narrow *s, const ir_node *e)
{
    const ir_ramp *n = ir_as_ramp(e);
    if (!fits(s, e)) return NULL;
    const ir_node *base = small(s, n->base), *stride = small(s, n->stride);
    if (base == NULL || stride == NULL) return NULL;
    return ir_make(s->r.mem, RAMP, ramp, e->at, ir_type_lanes(IR_I32, e->type.lanes), .base = base, .stride = stride);
}

static const ir_node *small_select(narrow *s, const ir_select *n)
{
    const ir_node *yes = small(s, n->yes), *no = yes != NULL ? small(s, n->no) : NULL;
    return no != NULL ? ir_fold_select(s->r.mem, visit(&s->r, n->cond), yes, no) : NULL;
}

/* The value in 32 bits, or NULL where it is not known to fit or is made of what does not. */
static const ir_node *small(narrow *s, const ir_node *e)
{
    const ir_var *by;
    switch ((int)e->kind) {
    case IR_INT_IMM:
        if (!fits(s, e)) return NULL;
        return ir_int_new(s->r.mem, ir_type_lanes(IR_I32, e->type.lanes), ir_as_int_imm(e)->value, e->at);
    case IR_VAR:
        by = map_get_id(&s->by, ir_as_var_ref(e)->var);
        return by != NULL ? ir_ref(s->r.mem, by, e->at) : NULL;
    case IR_BIN: return small_bin(s, ir_as_bin(e));
    case IR_CAST: return small_cast(s, e);
    case IR_SELECT: return small_select(s, ir_as_select(e));
    case IR_RAMP: return small_ramp(s, e);
    case IR_BROADCAST: {
        const ir_node *a = small(s, ir_as_broadcast(e)->a);
        return a != NULL ? ir_broadcast_new(s->r.mem, a, e->type.lanes) : NULL;
    }
    default: return NULL;
    }
}

static const ir_node *small_or_null(narrow *s, const ir_node *e)
{
    return is_wide(e->type) && ir_is_moderate(e, MOST_NODES, MOST_DEPTH) ? small(s, e) : NULL;
}

/* An index may have either width. */
static const ir_node *any_index(narrow *s, const ir_node *e)
{
    bool outer = s->value;
    s->value = false;
    const ir_node *narrowed = small_or_null(s, e);
    if (narrowed == NULL) narrowed = visit(&s->r, e);
    s->value = outer;
    return narrowed;
}

static ir_list indices(narrow *s, ir_list list)
{
    const ir_node **at = arena_array(s->r.mem, const ir_node *, list.n);
    bool same = true;
    for (size_t i = 0; i < list.n; ++i) {
        at[i] = any_index(s, list.at[i]);
        same &= at[i] == list.at[i];
    }
    return same ? list : (ir_list){at, list.n};
}

static const ir_node *load(narrow *s, const ir_node *n)
{
    ir_load copy = *ir_as_load(n);
    copy.index = indices(s, copy.index);
    if (copy.predicate != NULL) copy.predicate = visit(&s->r, copy.predicate);
    bool same = copy.index.at == ir_as_load(n)->index.at && copy.predicate == ir_as_load(n)->predicate;
    return same ? n : arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *under(narrow *s, const ir_node *n, const ir_node *cond, bool holds)
{
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    if (holds) ir_analyzer_assume(s->az, cond);
    else ir_analyzer_assume_not(s->az, cond);
    n = visit(&s->r, n);
    ir_analyzer_restore(s->az, mark);
    return n;
}

static const ir_node *choice(narrow *s, const ir_call *n)
{
    const ir_node *args[] = {visit(&s->r, n->args.at[0]), under(s, n->args.at[1], n->args.at[0], true),
                             under(s, n->args.at[2], n->args.at[0], false)};
    return ir_call_new(s->r.mem, n->fn, n->node.type, ir_list_copy(s->r.mem, args, 3), n->node.at);
}

/* A comparison, or another operator on 64 bits. */
static const ir_node *bin(narrow *s, const ir_node *n)
{
    const ir_bin *b = ir_as_bin(n);
    if (ir_ops[b->op].result == IR_RESULT_TRUTH) {
        const ir_node *x = small_or_null(s, b->a), *y = x != NULL ? small_or_null(s, b->b) : NULL;
        if (y != NULL) return ir_fold_bin(s->r.mem, b->op, x, y);
    }
    return ir_rewrite_children(&s->r, n);
}

static const ir_node *expr(narrow *s, const ir_node *n)
{
    if (n->kind == IR_INT_IMM || n->kind == IR_REDUCER) return n;
    /* A conversion to 64 bits stays one, of whatever its operand becomes. */
    bool asked = n->kind == IR_VAR || (n->kind != IR_CAST && !s->value);
    const ir_node *narrowed = asked ? small_or_null(s, n) : NULL;
    if (narrowed != NULL) return ir_fold_cast(s->r.mem, n->type, narrowed);
    if (n->kind == IR_LOAD) return load(s, n);
    if (n->kind == IR_BIN) return bin(s, n);
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_IF_THEN_ELSE && n->type.lanes == 1) {
        return choice(s, ir_as_call(n));
    }
    return ir_rewrite_children(&s->r, n);
}

/* ---- Statements -------------------------------------------------------------------------------- */

/* The variable of 32 bits in the place of `v`. */
static const ir_var *replacement(narrow *s, const ir_var *v)
{
    const ir_var *fresh = ir_var_new(s->r.mem, v->name, IR_I32, v->at);
    map_put_id(s->r.mem, &s->by, v, fresh);
    return fresh;
}

static bool may_change(const narrow *s, const ir_var *v)
{
    return is_wide(v->type) && v->type.lanes == 1 && map_get_id(&s->fixed, v) == NULL;
}

/* A loop counts one further than its last value. */
static bool counts_small(narrow *s, const ir_for *n)
{
    ir_interval extent = ir_bound(s->az, n->extent), first = ir_bound(s->az, n->min);
    if (extent.min < INT32_MIN || extent.max >= INT32_MAX) return false;
    return first.min >= INT32_MIN && first.max <= INT32_MAX - (extent.max > 0 ? extent.max : 0);
}

static const ir_node *loop(narrow *s, const ir_node *node)
{
    ir_for copy = *ir_as_for(node);
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    const ir_node *min = NULL, *extent = NULL;
    if (may_change(s, copy.var) && counts_small(s, &copy)) {
        min = small_or_null(s, copy.min);
        extent = min != NULL ? small_or_null(s, copy.extent) : NULL;
    }
    ir_analyzer_bind(s->az, copy.var, copy.min, copy.extent);
    if (extent != NULL) {
        copy.var = replacement(s, copy.var);
        copy.min = min;
        copy.extent = extent;
    } else {
        copy.min = visit(&s->r, copy.min);
        copy.extent = visit(&s->r, copy.extent);
    }
    copy.body = visit(&s->r, copy.body);
    ir_analyzer_restore(s->az, mark);
    return arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *thread(narrow *s, const ir_node *node)
{
    ir_thread copy = *ir_as_thread(node);
    int64_t extent;
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    ir_analyzer_bind(s->az, copy.var, ir_int_new(s->r.mem, copy.var->type, 0, node->at), copy.extent);
    if (may_change(s, copy.var) && ir_const_value(copy.extent, &extent) && extent < INT32_MAX) {
        copy.var = replacement(s, copy.var);
        copy.extent = ir_int_new(s->r.mem, IR_I32, extent, node->at);
    } else {
        copy.extent = visit(&s->r, copy.extent);
    }
    copy.body = visit(&s->r, copy.body);
    ir_analyzer_restore(s->az, mark);
    return arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *bind(narrow *s, const ir_node *node)
{
    ir_bind copy = *ir_as_bind(node);
    const ir_node *narrowed = may_change(s, copy.var) ? small_or_null(s, copy.value) : NULL;
    if (!ir_reads_memory(copy.value)) ir_analyzer_let(s->az, copy.var, copy.value);
    if (narrowed == NULL) return ir_rewrite_children(&s->r, node);
    copy.var = replacement(s, copy.var);
    copy.value = narrowed;
    return arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *branch(narrow *s, const ir_node *node)
{
    ir_if copy = *ir_as_if(node);
    copy.yes = under(s, copy.yes, copy.cond, true);
    if (copy.no != NULL) copy.no = under(s, copy.no, copy.cond, false);
    copy.cond = visit(&s->r, copy.cond);
    return arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *store(narrow *s, const ir_node *node)
{
    ir_store copy = *ir_as_store(node);
    copy.index = indices(s, copy.index);
    s->value = true;
    copy.value = visit(&s->r, copy.value);
    s->value = false;
    if (copy.predicate != NULL) copy.predicate = visit(&s->r, copy.predicate);
    return arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    narrow *s = (narrow *)(void *)r;
    if (!ir_is_stmt(n)) return expr(s, n);
    switch ((int)n->kind) {
    case IR_FOR: return loop(s, n);
    case IR_THREAD: return thread(s, n);
    case IR_BIND: return bind(s, n);
    case IR_IF: return branch(s, n);
    case IR_STORE: return store(s, n);
    default: return ir_rewrite_children(r, n);
    }
}

/* ---- A function -------------------------------------------------------------------------------- */

typedef struct search {
    ir_walk w;
    narrow *s;
    bool wide;  /* is there anything of 64 bits? */
    bool shape; /* inside the shape of a buffer */
} search;

static void search_node(ir_walk *w, const ir_node *n)
{
    search *f = (search *)(void *)w;
    f->wide |= is_wide(n->type);
    ir_walk_children(w, n);
}

static void search_buffer(ir_walk *w, const ir_buffer *b)
{
    search *f = (search *)(void *)w;
    bool outer = f->shape;
    f->shape = true;
    ir_walk_buffer(w, b);
    f->shape = outer;
}

static void search_var(ir_walk *w, const ir_var *v)
{
    search *f = (search *)(void *)w;
    if (f->shape) map_put_id(f->s->r.mem, &f->s->fixed, v, v);
}

static const ir_node *narrow_func(pass_context *cx, const ir_func *f)
{
    narrow s = {.r = {.mem = cx->mem, .node = visit}, .az = ir_analyzer_new(cx->mem)};
    search all = {.w = {.node = search_node, .use_var = search_var, .def_buffer = search_buffer}, .s = &s};
    search_node(&all.w, f->body);
    if (!all.wide) return f->body;
    know_shapes(s.az, f);
    return visit(&s.r, f->body);
}

const ir_module *pass_narrow_index(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, narrow_func);
}
