/* hoist_init: what only the first round of a loop does is done before the loop.
 *
 * Why: the start of a reduction is asked for in every round of its innermost loop otherwise.
 *
 *     for k in range(32):                              C[i] = 0
 *         if k == 0:                                   for k in range(32):
 *             C[i] = 0                       ->            C[i] = C[i] + A[i, k]
 *         C[i] = C[i] + A[i, k]
 *
 * A branch that a round begins with goes before the loop where its condition is proved false in all later rounds; what
 * is left of the condition goes with it (from `k * 4 + l == 0` of a loop over l: k == 0), and that there is a round at
 * all, where that is not known. Inner loops first, so that it passes through all loops of a reduction. Left alone:
 * branches with an else or a jump, conditions with an effect, loops of the host. */
#include "ir/fold.h"
#include "ir/simplify.h"
#include "pass/jumps.h"
#include "pass/pass.h"
#include "pass/region.h"
#include "pass/shapes.h"

typedef struct hoisting {
    ir_rewrite r;
    ir_analyzer *az;
} hoisting;

/* The branch that the body begins with, if it may move; else NULL. */
static const ir_if *leading_branch(const ir_node *body)
{
    const ir_node *first = body->kind == IR_SEQ && ir_as_seq(body)->body.n != 0 ? ir_as_seq(body)->body.at[0] : body;
    if (first->kind != IR_IF || ir_as_if(first)->no != NULL || ir_has_effect(ir_as_if(first)->cond)) return NULL;
    return jumps_find(first) == NULL ? ir_as_if(first) : NULL;
}

/* Is it false whatever the variables are? Of "both", one part is enough. */
static bool is_false(hoisting *h, const ir_node *cond)
{
    if (cond->kind == IR_BIN && ir_as_bin(cond)->op == IR_AND) {
        return is_false(h, ir_as_bin(cond)->a) || is_false(h, ir_as_bin(cond)->b);
    }
    return ir_is_const(ir_simplify(h->az, cond), 0);
}

/* Is the condition false in every round of the loop but the first? */
static bool only_first_round(hoisting *h, const ir_for *f, const ir_node *cond)
{
    arena *mem = h->r.mem;
    if (!ir_uses_var(cond, f->var)) return false;
    const ir_var *later = ir_var_new(mem, f->var->name, f->var->type, f->var->at);
    const ir_node *one = ir_int_like(mem, f->extent, 1);
    ir_analyzer_mark mark = ir_analyzer_save(h->az);
    ir_analyzer_bind(h->az, later, ir_add(mem, f->min, one), ir_sub(mem, f->extent, one));
    bool never = is_false(h, ir_substitute_one(mem, cond, f->var, ir_ref(mem, later, f->var->at)));
    ir_analyzer_restore(h->az, mark);
    return never;
}

/* The body without its first statement. */
static const ir_node *rest_of(arena *mem, const ir_node *body)
{
    if (body->kind != IR_SEQ) return ir_nop(mem);
    ir_list all = ir_as_seq(body)->body;
    return ir_seq_new(mem, all.at + 1, all.n - 1, body->at);
}

/* The loop, after what its first round begins with; itself where that stays. */
static const ir_node *hoist(hoisting *h, const ir_for *f)
{
    arena *mem = h->r.mem;
    const ir_if *branch = leading_branch(f->body);
    if (f->loop != IR_SERIAL || branch == NULL || ir_reads_memory(f->extent) || ir_reads_memory(f->min)) return &f->node;
    if (!only_first_round(h, f, branch->cond)) return &f->node;
    const ir_node *some = ir_lt(mem, ir_int_like(mem, f->extent, 0), f->extent);
    const ir_node *cond = ir_substitute_one(mem, branch->cond, f->var, f->min);
    cond = ir_simplify(h->az, ir_and(mem, some, cond));
    const ir_node *init = ir_substitute_one(mem, branch->yes, f->var, f->min);
    if (ir_is_const(cond, 0)) init = ir_nop(mem);
    else if (!ir_is_const(cond, 1)) init = ir_make(mem, IF, if, branch->node.at, IR_VOID, .cond = cond, .yes = init);
    ir_for loop = *f;
    loop.body = rest_of(mem, f->body);
    if (ir_is_nop(loop.body)) return init;
    const ir_node *both[] = {init, arena_copy(mem, &loop, sizeof loop)};
    return ir_seq_new(mem, both, 2, f->node.at);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    hoisting *h = (hoisting *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_BIND && !ir_reads_memory(ir_as_bind(n)->value)) {
        ir_analyzer_let(h->az, ir_as_bind(n)->var, ir_as_bind(n)->value);
    }
    if (n->kind != IR_FOR) return ir_rewrite_children(r, n);
    ir_analyzer_mark mark = ir_analyzer_save(h->az);
    ir_analyzer_bind(h->az, ir_as_for(n)->var, ir_as_for(n)->min, ir_as_for(n)->extent);
    n = ir_rewrite_children(r, n);
    ir_analyzer_restore(h->az, mark);
    return hoist(h, ir_as_for(n));
}

typedef struct region_hoisting {
    pass_context *cx;
    const ir_func *f;
} region_hoisting;

static const ir_node *in_region(void *user, const ir_node *region)
{
    const region_hoisting *of = user;
    arena *mem = of->cx->mem;
    hoisting h = {.r = {.mem = mem, .node = visit}, .az = ir_analyzer_new(mem)};
    know_shapes(h.az, of->f);
    region_axes axes = region_axes_of(mem, region);
    region_axes_know(h.az, mem, &axes);
    return visit(&h.r, region);
}

static const ir_node *hoist_in(pass_context *cx, const ir_func *f)
{
    region_hoisting of = {cx, f};
    return region_each(cx->mem, f->body, in_region, &of);
}

const ir_module *pass_hoist_init(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, hoist_in);
}
