/* unroll_loop: T.unroll loops, and those that an annotation asks for, are written out.
 *
 * Why: the indices become constants, and each copy simplifies by itself.
 *
 *     for i in T.unroll(2):              B[0] = A[0]
 *         B[i] = A[i]             ->     B[1] = A[1]
 *
 * Asks: the loop's kind, pragma_unroll_explicit on it, or pragma_auto_unroll_max_step around it where it has no other loop inside
 * and all its iterations together are no more steps (stores and calls) than that. A loop whose extent is not constant, that would be written out to more than
 * MOST_NODES nodes, or that a break or continue belongs to, stays a loop, which means the same; for the
 * first two there is a warning. Left alone: other loops. */
#include "pass/fresh.h"
#include "pass/jumps.h"
#include "pass/pass.h"

enum { MOST_NODES = 200000 };

typedef struct unroll {
    ir_rewrite r;
    pass_context *cx;
    bool explicit_unroll; /* pragma_unroll_explicit is in force */
    int64_t max_step;     /* pragma_auto_unroll_max_step in force; 0: none */
} unroll;

static void count(void *user, const ir_node *n)
{
    (void)n;
    ++*(int64_t *)user;
}

static int64_t size_of(const ir_node *n)
{
    int64_t size = 0;
    ir_each(n, count, &size);
    return size;
}

/* What one iteration does; a loop inside makes it much. */
static void count_steps(void *user, const ir_node *n)
{
    int64_t *steps = user;
    bool loop = n->kind == IR_FOR || n->kind == IR_WHILE;
    if (loop) *steps = MOST_NODES;
    if (n->kind == IR_STORE || n->kind == IR_EVAL) ++*steps;
}

static bool is_small(const unroll *u, const ir_for *f, int64_t extent)
{
    int64_t steps = 0;
    ir_each(f->body, count_steps, &steps);
    return extent <= u->max_step && steps * extent <= u->max_step;
}

static bool asked_for(const unroll *u, const ir_for *f, int64_t extent)
{
    if (f->loop == IR_UNROLLED) return true;
    if (f->loop != IR_SERIAL || ir_attrs_get(f->annotations, "disable_unroll") != NULL) return false;
    const ir_node *wish = ir_attrs_get(f->annotations, "pragma_unroll");
    if (wish == NULL) wish = ir_attrs_get(f->annotations, "pragma_unroll_explicit");
    if (wish != NULL) return !ir_is_const(wish, 0);
    return u->max_step > 0 && u->explicit_unroll && is_small(u, f, extent);
}

static const ir_node *as_serial(arena *mem, const ir_for *f)
{
    if (f->loop != IR_UNROLLED && f->loop != IR_PARALLEL && f->annotations.n == 0) return &f->node;
    ir_for copy = *f;
    if (copy.loop == IR_UNROLLED || copy.loop == IR_PARALLEL) copy.loop = IR_SERIAL;
    copy.annotations = (ir_attrs){0};
    return arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *write_out(arena *mem, const ir_for *f, int64_t first, int64_t extent)
{
    ir_node_vec copies = {0};
    for (int64_t i = 0; i < extent; ++i) {
        const ir_node *body = i == 0 ? f->body : fresh_copy(mem, f->body);
        const ir_node *value = ir_int_new(mem, f->var->type, first + i, f->node.at);
        ir_node_vec_push(mem, &copies, ir_substitute_one(mem, body, f->var, value));
    }
    return ir_seq_new(mem, copies.at, copies.n, f->node.at);
}

static const ir_node *loop(unroll *u, const ir_for *f)
{
    arena *mem = u->r.mem;
    int64_t extent = 0, first = 0;
    bool known = ir_const_value(f->extent, &extent) && ir_const_value(f->min, &first);
    if (!asked_for(u, f, known ? extent : INT64_MAX)) return as_serial(mem, f);
    if (!known) {
        diag_warning(u->cx->diags, f->node.at, "this loop is not unrolled: its extent is not constant");
        return as_serial(mem, f);
    }
    if (extent <= 0) return ir_nop(mem);
    if (jumps_belong(f->body)) return as_serial(mem, f);
    if (extent > MOST_NODES || size_of(f->body) * extent > MOST_NODES) {
        diag_warning(u->cx->diags, f->node.at, "this loop is not unrolled: %lld copies of its body are too many",
                     (long long)extent);
        return as_serial(mem, f);
    }
    return write_out(mem, f, first, extent);
}

/* A pragma holds for the statements inside; its attribute has then done its work. */
static const ir_node *pragma(unroll *u, const ir_attr *a)
{
    int64_t value = 0;
    unroll outer = *u;
    (void)ir_const_value(a->value, &value);
    if (str_is(a->key, "pragma_unroll_explicit")) u->explicit_unroll = value != 0;
    else u->max_step = value;
    const ir_node *body = u->r.node(&u->r, a->body);
    u->explicit_unroll = outer.explicit_unroll;
    u->max_step = outer.max_step;
    return body;
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    unroll *u = (unroll *)(void *)r;
    if (n->kind == IR_ATTR) {
        str key = ir_as_attr(n)->key;
        if (str_is(key, "pragma_unroll_explicit") || str_is(key, "pragma_auto_unroll_max_step")) {
            return pragma(u, ir_as_attr(n));
        }
    }
    n = ir_rewrite_children(r, n);
    return n->kind == IR_FOR ? loop(u, ir_as_for(n)) : n;
}

static const ir_node *unroll_body(pass_context *cx, const ir_func *f)
{
    unroll u = {.r = {.mem = cx->mem, .node = visit}, .cx = cx, .explicit_unroll = true};
    return visit(&u.r, f->body);
}

const ir_module *pass_unroll_loop(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, unroll_body);
}
