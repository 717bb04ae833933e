/* canonicalize_loop: every loop starts at 0, and where it has one iteration its variable is a number.
 *
 * Why: later passes (thread binding, vectorizing, unrolling) then reason about extents alone, and two indices that differ
 * by such a variable are seen to be the same.
 *
 *     for i in range(4, 20):            for i in range(16):
 *         B[i] = A[i]             ->        B[i + 4] = A[i + 4]
 *
 * Steps other than 1 are written out by the front end already. Left alone: loops that start at 0.
 */
#include "ir/walk.h"
#include "pass/pass.h"

typedef struct shifts {
    arena *mem;
    map by; /* loop variable -> variable + start, or its only value */
} shifts;

/* Outer loops come first, so that a start which uses an outer variable is shifted itself. */
static void collect(void *user, const ir_node *n)
{
    shifts *s = user;
    if (n->kind != IR_FOR) return;
    const ir_for *f = ir_as_for(n);
    bool once = ir_is_const(f->extent, 1);
    if (ir_is_const(f->min, 0) && !once) return;
    const ir_node *start = ir_cast_new(s->mem, f->var->type, ir_substitute(s->mem, f->min, &s->by));
    if (!once) start = ir_bin_new(s->mem, IR_ADD, ir_ref(s->mem, f->var, f->min->at), start);
    map_put_id(s->mem, &s->by, f->var, start);
}

static const ir_node *start_at_zero(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    n = ir_rewrite_children(r, n);
    if (n->kind != IR_FOR || ir_is_const(ir_as_for(n)->min, 0)) return n;
    ir_for copy = *ir_as_for(n);
    copy.min = ir_int_new(r->mem, copy.var->type, 0, copy.min->at);
    return arena_copy(r->mem, &copy, sizeof copy);
}

static const ir_node *canonicalize(pass_context *cx, const ir_func *f)
{
    shifts s = {.mem = cx->mem};
    ir_each(f->body, collect, &s);
    if (s.by.n == 0) return f->body;
    ir_rewrite r = {.mem = cx->mem, .node = start_at_zero};
    return start_at_zero(&r, ir_substitute(cx->mem, f->body, &s.by));
}

const ir_module *pass_canonicalize_loop(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, canonicalize);
}
