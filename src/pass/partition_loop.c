/* partition_loop: rounds of a loop that need not ask a guard are made a loop of their own.
 *
 * Why: a tail that is not full makes every round ask whether it is the last; in a vectorized loop it makes every
 * access a scalar one.
 *
 *     for k in range((m + 255) // 256):          for k in range(m // 256):
 *         if k * 256 + tx < m:             ->        B[k * 256 + tx] = 0
 *             B[k * 256 + tx] = 0                for k in range(m // 256, (m + 255) // 256):
 *                                                    if k * 256 + tx < m: ...
 *
 *     for v in T.vectorized(4):                  if tx * 4 + 3 < n:
 *         if tx * 4 + v < n:               ->        for v in T.vectorized(4): B[tx * 4 + v] = 0
 *             B[tx * 4 + v] = 0                  else: ... as it was
 *
 * A guard is a comparison that a branch or a lazy choice asks, linear in the loop's variable; what else it is made
 * of is known before the loop or has bounds. How often a loop goes round never comes to depend on the thread, so a
 * barrier may be put into it. The cost in code is bounded: bodies of up to MOST_BODY nodes, MOST_GROWTH nodes a
 * kernel. Left alone: loops to be unrolled, loops that a jump belongs to, loops where fewer than half of the rounds,
 * as far as that is known, would do without the guard. */
#include "pass/fresh.h"
#include "pass/loop_guards.h"
#include "pass/pass.h"
#include "pass/region.h"
#include "pass/shapes.h"

#include "ir/fold.h"

enum { MOST_BODY = 250, MOST_GROWTH = 3000 };

typedef struct partition {
    ir_rewrite r;
    ir_analyzer *az;
    map agreed;  /* variables that all threads of a group agree on, and that stand for one value around here */
    map around;  /* those, and the others that are known here */
    map done;    /* loops that are parts already */
    size_t left; /* nodes that the kernel may still grow by */
} partition;

/* ---- Is it worth while? -------------------------------------------------------------------------- */

typedef struct body_search {
    ir_walk w;
    size_t nodes;
    unsigned loops;
    bool jump;
} body_search;

static void look(ir_walk *w, const ir_node *n)
{
    body_search *b = (body_search *)(void *)w;
    bool loop = n->kind == IR_FOR || n->kind == IR_WHILE;
    ++b->nodes;
    if (b->loops == 0) b->jump |= n->kind == IR_BREAK || n->kind == IR_CONTINUE;
    b->jump |= n->kind == IR_RETURN;
    b->loops += loop;
    ir_walk_children(w, n);
    b->loops -= loop;
}

/* The nodes of a copy; 0 where there must be none. */
static size_t cost_of(const partition *p, const ir_node *body)
{
    body_search b = {.w = {.node = look}};
    look(&b.w, body);
    return b.jump || b.nodes > MOST_BODY || b.nodes > p->left ? 0 : b.nodes;
}

static const ir_node *constant(partition *p, ir_type t, int64_t v)
{
    return ir_int_new(p->r.mem, t, v, (span){0});
}

/* Is each step of the sum proved not to wrap? */
static bool never_wraps(partition *p, const ir_node *n)
{
    if (n->kind != IR_BIN) return true;
    const ir_bin *b = ir_as_bin(n);
    if (b->op != IR_ADD && b->op != IR_SUB && b->op != IR_MUL) return true;
    return ir_bin_exact(p->az, b) && never_wraps(p, b->a) && never_wraps(p, b->b);
}

/* sum * scale + c, where that is proved not to wrap; else NULL. */
static const ir_node *exact(partition *p, const ir_linear *sum, int64_t scale, int64_t c, ir_type t)
{
    ir_linear l = {.constant = c};
    if (c < ir_type_min(t) || c > ir_type_max(t) || !ir_linear_add(&l, sum, scale)) return NULL;
    const ir_node *n = ir_linear_node(p->r.mem, &l, t, (span){0});
    return never_wraps(p, n) ? n : NULL;
}

/* ---- Serial loops -------------------------------------------------------------------------------- */

/* Rounds from `first` to before `end` need no guard. NULL: from the start, to the end. */
typedef struct middle {
    const ir_node *first, *end;
    map conds; /* the guards that are left out there */
    const loop_guard *lower, *upper; /* the guard that first or end comes from alone; NULL: none or several */
    size_t lowers, uppers;
} middle;

/* The first round from which on, or before which, the guard holds. */
static const ir_node *turn(partition *p, const loop_guard *g, ir_type t)
{
    arena *mem = p->r.mem;
    if (g->most == INT64_MIN || g->most > INT64_MAX / 2 || g->coeff == INT64_MIN) return NULL;
    if (g->coeff > 0) {
        const ir_node *top = exact(p, &g->sum, -1, -g->most, t);
        if (top == NULL) return NULL;
        const ir_node *n = ir_add(mem, ir_floordiv(mem, top, constant(p, t, g->coeff)), constant(p, t, 1));
        return never_wraps(p, n) ? n : NULL;
    }
    const ir_node *top = exact(p, &g->sum, 1, g->most + -g->coeff - 1, t);
    return top != NULL ? ir_floordiv(mem, top, constant(p, t, -g->coeff)) : NULL;
}

/* a // c <= b // c, which the general proof does not see. */
static bool is_below(partition *p, const ir_node *a, const ir_node *b)
{
    arena *mem = p->r.mem;
    if (ir_prove(p->az, ir_le(mem, a, b))) return true;
    if (a->kind != IR_BIN || b->kind != IR_BIN) return false;
    const ir_bin *x = ir_as_bin(a), *y = ir_as_bin(b);
    int64_t c;
    return x->op == IR_FLOORDIV && y->op == IR_FLOORDIV && ir_const_value(x->b, &c) && c > 0 &&
           ir_equal(x->b, y->b) && ir_prove(p->az, ir_le(mem, x->a, y->a));
}

static const ir_node *lesser(partition *p, const ir_node *a, const ir_node *b)
{
    if (is_below(p, a, b)) return a;
    return is_below(p, b, a) ? b : ir_simplify(p->az, ir_min(p->r.mem, a, b));
}

static const ir_node *greater(partition *p, const ir_node *a, const ir_node *b)
{
    if (is_below(p, a, b)) return b;
    return is_below(p, b, a) ? a : ir_simplify(p->az, ir_max(p->r.mem, a, b));
}

static void add_guard(partition *p, middle *m, const loop_guard *g, const ir_for *f)
{
    ir_type t = f->var->type;
    int64_t at, extent;
    const ir_node *here = turn(p, g, t);
    if (here == NULL) return;
    here = ir_simplify(p->az, here);
    here = lesser(p, greater(p, here, constant(p, t, 0)), f->extent);
    if (ir_const_value(here, &at) && ir_const_value(f->extent, &extent)) {
        int64_t without = g->coeff > 0 ? at : extent - at;
        if (without < 2 || without < extent - without) return;
    }
    if (g->coeff > 0) m->end = m->end != NULL ? lesser(p, m->end, here) : here;
    else m->first = m->first != NULL ? greater(p, m->first, here) : here;
    if (g->coeff > 0) m->upper = m->uppers++ == 0 ? g : NULL;
    else m->lower = m->lowers++ == 0 ? g : NULL;
    map_put_id(p->r.mem, &m->conds, g->cond, g->cond);
}

/* A loop that is not to be taken apart again. */
static const ir_node *part(partition *p, const ir_for *f)
{
    const ir_node *n = arena_copy(p->r.mem, f, sizeof *f);
    map_put_id(p->r.mem, &p->done, n, n);
    return n;
}

/* The rounds [first, first + extent) of the loop, over `body`. */
static const ir_node *rounds(partition *p, const ir_for *f, const ir_node *first, const ir_node *extent, const ir_node *body)
{
    arena *mem = p->r.mem;
    int64_t n;
    const ir_node *known = ir_simplify(p->az, extent);
    if (known->kind == IR_INT_IMM) extent = known;
    if (ir_is_nop(body) || (ir_const_value(extent, &n) && n <= 0)) return ir_nop(mem);
    body = fresh_copy(mem, body);
    if (ir_is_const(extent, 1)) return ir_substitute_one(mem, body, f->var, first);
    ir_for copy = *f;
    copy.var = ir_var_new(mem, f->var->name, f->var->type, f->var->at);
    copy.min = first;
    copy.extent = extent;
    copy.body = ir_substitute_one(mem, body, f->var, ir_ref(mem, copy.var, f->var->at));
    return part(p, &copy);
}

/* The value as a name of its own before the loops. */
static const ir_node *named(partition *p, ir_node_vec *out, const char *name, const ir_node *value)
{
    arena *mem = p->r.mem;
    if (value->kind == IR_VAR || value->kind == IR_INT_IMM) return value;
    const ir_var *v = ir_var_new(mem, str_of(name), value->type, value->at);
    ir_analyzer_let(p->az, v, value);
    ir_node_vec_push(mem, out, ir_make(mem, BIND, bind, value->at, IR_VOID, .var = v, .value = value));
    return ir_ref(mem, v, value->at);
}

/* The body in the rounds before or after the middle: where they are exactly those that one guard excludes, it is
 * known not to hold. */
static const ir_node *outer_body(partition *p, const ir_for *f, const loop_guard *alone)
{
    map cond = {0};
    if (alone == NULL || !alone->only_there) return f->body;
    map_put_id(p->r.mem, &cond, alone->cond, alone);
    return loop_guards_without(p->r.mem, f->body, &cond, false);
}

static const ir_node *split(partition *p, const ir_for *f, middle *m)
{
    arena *mem = p->r.mem;
    ir_node_vec out = {0};
    const ir_node *zero = constant(p, f->var->type, 0), *extent = f->extent;
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    const ir_node *first = m->first != NULL ? named(p, &out, "first", m->first) : zero;
    const ir_node *end = m->end != NULL ? m->end : extent;
    if (m->first != NULL && m->end != NULL) end = greater(p, end, first);
    if (m->end != NULL) end = named(p, &out, "full", end);
    const ir_node *inner = loop_guards_without(mem, f->body, &m->conds, true);
    ir_node_vec_push(mem, &out, rounds(p, f, zero, first, outer_body(p, f, m->lower)));
    ir_node_vec_push(mem, &out, rounds(p, f, first, ir_sub(mem, end, first), inner));
    if (m->end != NULL) ir_node_vec_push(mem, &out, rounds(p, f, end, ir_sub(mem, extent, end), outer_body(p, f, m->upper)));
    ir_analyzer_restore(p->az, mark);
    return ir_seq_new(mem, out.at, out.n, f->node.at);
}

static const ir_node *serial(partition *p, const ir_for *f)
{
    size_t cost = cost_of(p, f->body);
    int64_t extent;
    if (cost == 0 || ir_reads_memory(f->extent) || (ir_const_value(f->extent, &extent) && extent < 4)) return &f->node;
    guard_search s = {.mem = p->r.mem, .az = p->az, .var = f->var, .outside = &p->agreed};
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    ir_analyzer_bind(p->az, f->var, f->min, f->extent);
    loop_guards_find(&s, f->body);
    ir_analyzer_restore(p->az, mark);
    middle m = {0};
    for (size_t i = 0; i < s.found.n; ++i) add_guard(p, &m, &s.found.at[i], f);
    if (m.conds.n == 0) return &f->node;
    cost *= m.first != NULL && m.end != NULL ? 2 : 1;
    p->left -= cost < p->left ? cost : p->left;
    return split(p, f, &m);
}

/* ---- Vectorized loops ---------------------------------------------------------------------------- */

/* Do all guards hold in all lanes? One test in front. */
static const ir_node *vectorized(partition *p, const ir_for *f)
{
    arena *mem = p->r.mem;
    int64_t extent, furthest, sum = 0;
    size_t cost = cost_of(p, f->body);
    if (cost == 0 || !ir_const_value(f->extent, &extent) || extent < 2) return &f->node;
    guard_search s = {.mem = mem, .az = p->az, .var = f->var, .outside = &p->around};
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    ir_analyzer_bind(p->az, f->var, f->min, f->extent);
    loop_guards_find(&s, f->body);
    ir_analyzer_restore(p->az, mark);
    const ir_node *test = NULL;
    map conds = {0};
    for (size_t i = 0; i < s.found.n; ++i) {
        const loop_guard *g = &s.found.at[i];
        bool known = ir_mul_exact(g->coeff, g->coeff > 0 ? extent - 1 : 0, &furthest) &&
                     ir_add_exact(g->most, furthest, &sum);
        const ir_node *top = known ? exact(p, &g->sum, 1, sum, f->var->type) : NULL;
        if (top == NULL) continue;
        const ir_node *holds = ir_simplify(p->az, ir_le(mem, top, constant(p, f->var->type, 0)));
        if (ir_is_const(holds, 0)) continue;
        test = test != NULL ? ir_and(mem, test, holds) : holds;
        map_put_id(mem, &conds, g->cond, g->cond);
    }
    if (test == NULL) return &f->node;
    p->left -= cost;
    ir_for fast = *f;
    fast.var = ir_var_new(mem, f->var->name, f->var->type, f->var->at);
    fast.body = ir_substitute_one(mem, fresh_copy(mem, loop_guards_without(mem, f->body, &conds, true)), f->var,
                                  ir_ref(mem, fast.var, f->var->at));
    return ir_make(mem, IF, if, f->node.at, IR_VOID, .cond = test, .yes = part(p, &fast), .no = part(p, f));
}

/* ---- Statements ---------------------------------------------------------------------------------- */

static const ir_node *visit(ir_rewrite *r, const ir_node *n);

/* The loop in parts; itself where there is nothing to gain. */
static const ir_node *parts(partition *p, const ir_for *f)
{
    bool fit = ir_is_const(f->min, 0) && f->annotations.n == 0 && map_get_id(&p->done, &f->node) == NULL;
    if (fit && f->loop == IR_VECTORIZED) return vectorized(p, f);
    return fit && (f->loop == IR_SERIAL || f->loop == IR_PARALLEL) ? serial(p, f) : &f->node;
}

/* Outer loops first: their guards are often those of the loops inside. */
static const ir_node *loop(partition *p, const ir_node *n)
{
    const ir_node *in_parts = parts(p, ir_as_for(n));
    if (in_parts != n) return visit(&p->r, in_parts);
    ir_for copy = *ir_as_for(n);
    arena *mem = p->r.mem;
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    ir_analyzer_bind(p->az, copy.var, copy.min, copy.extent);
    map_put_id(mem, &p->agreed, copy.var, n);
    map_put_id(mem, &p->around, copy.var, n);
    copy.body = visit(&p->r, copy.body);
    map_put_id(mem, &p->agreed, copy.var, NULL);
    map_put_id(mem, &p->around, copy.var, NULL);
    ir_analyzer_restore(p->az, mark);
    return copy.body == ir_as_for(n)->body ? n : arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    partition *p = (partition *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_FOR) return loop(p, n);
    if (n->kind == IR_BIND && !ir_reads_memory(ir_as_bind(n)->value)) {
        ir_analyzer_let(p->az, ir_as_bind(n)->var, ir_as_bind(n)->value);
    }
    return ir_rewrite_children(r, n);
}

typedef struct region_partition {
    pass_context *cx;
    const ir_func *f;
} region_partition;

static const ir_node *in_region(void *user, const ir_node *region)
{
    const region_partition *of = user;
    arena *mem = of->cx->mem;
    partition p = {.r = {.mem = mem, .node = visit}, .az = ir_analyzer_new(mem), .left = MOST_GROWTH};
    know_shapes(p.az, of->f);
    for (size_t i = 0; i < of->f->param_count; ++i) {
        const ir_param *param = &of->f->params[i];
        if (param->buffer == NULL) map_put_id(mem, &p.agreed, param->var, param);
        for (size_t k = 0; param->buffer != NULL && k < param->buffer->shape.n; ++k) {
            const ir_node *d = param->buffer->shape.at[k];
            if (d->kind == IR_VAR) map_put_id(mem, &p.agreed, ir_as_var_ref(d)->var, param);
        }
    }
    for (size_t i = 0; i < p.agreed.n; ++i) map_put_id(mem, &p.around, p.agreed.entries[i].id, of);
    region_axes axes = region_axes_of(mem, region);
    region_axes_know(p.az, mem, &axes);
    for (size_t i = 0; i < axes.n; ++i) {
        const region_axis *a = &axes.at[i];
        map_put_id(mem, &p.around, a->var, a);
        if (!region_axis_is_local(a)) map_put_id(mem, &p.agreed, a->var, a);
    }
    return visit(&p.r, region);
}

static const ir_node *partition_func(pass_context *cx, const ir_func *f)
{
    region_partition of = {cx, f};
    return region_each(cx->mem, f->body, in_region, &of);
}

const ir_module *pass_partition_loop(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, partition_func);
}
