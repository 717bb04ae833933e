/* simplify: expressions in the form that an expert would write, conditions decided where ranges
 * decide them.
 *
 * Why: substitution leaves sums of products of constants; later passes look for what is equal or
 * divides.
 *
 *     for i in range(16):                       for i in range(16):
 *         if i * 4 + 3 < 64:             ->         B[i * 4 + 3] = A[i]
 *             B[(i + 0) * 4 + 3] = A[i * 1]
 *
 * Loops that never run and conditions without a body go. Left alone: the order of effects, and
 * every float's value, NaN, infinities and signed zeros among them. */
#include "ir/simplify.h"

#include "ir/walk.h"
#include "pass/pass.h"
#include "pass/shapes.h"

typedef struct simplifier {
    ir_rewrite r;
    ir_analyzer *az;
} simplifier;

static bool is_pure(const ir_node *e)
{
    return !ir_reads_memory(e) && !ir_has_effect(e);
}

static void know_range(simplifier *s, const ir_node *n)
{
    if (n->kind == IR_FOR) {
        const ir_for *f = ir_as_for(n);
        ir_analyzer_bind(s->az, f->var, f->min, f->extent);
    } else if (n->kind == IR_THREAD) {
        const ir_thread *t = ir_as_thread(n);
        ir_analyzer_bind(s->az, t->var, ir_int_new(s->r.mem, t->extent->type, 0, n->at), t->extent);
    }
}

static const ir_node *simplify_node(ir_rewrite *r, const ir_node *n);

/* The statement (NULL: none) where `cond` holds, or does not. */
static const ir_node *under(simplifier *s, const ir_node *n, const ir_node *cond, bool holds)
{
    if (n == NULL) return NULL;
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    if (is_pure(cond)) {
        if (holds) {
            ir_analyzer_assume(s->az, cond);
        } else {
            ir_analyzer_assume_not(s->az, cond);
        }
    }
    n = simplify_node(&s->r, n);
    ir_analyzer_restore(s->az, mark);
    return n;
}

static const ir_node *simplify_if(simplifier *s, const ir_node *n)
{
    ir_if copy = *ir_as_if(n);
    int64_t holds;
    copy.cond = ir_simplify(s->az, copy.cond);
    if (ir_const_value(copy.cond, &holds)) {
        const ir_node *taken = holds != 0 ? copy.yes : copy.no;
        return taken != NULL ? simplify_node(&s->r, taken) : ir_nop(s->r.mem);
    }
    copy.yes = under(s, copy.yes, copy.cond, true);
    copy.no = under(s, copy.no, copy.cond, false);
    if (copy.no != NULL && ir_is_nop(copy.no)) copy.no = NULL;
    if (copy.no == NULL && ir_is_nop(copy.yes) && !ir_has_effect(copy.cond)) return copy.yes;
    const ir_if *old = ir_as_if(n);
    bool same = copy.cond == old->cond && copy.yes == old->yes && copy.no == old->no;
    return same ? n : arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *simplify_for(simplifier *s, const ir_node *n)
{
    ir_for copy = *ir_as_for(n);
    int64_t extent;
    copy.min = ir_simplify(s->az, copy.min);
    copy.extent = ir_simplify(s->az, copy.extent);
    if (copy.loop != IR_THREAD_BOUND && ir_const_value(copy.extent, &extent) && extent <= 0)
        return ir_nop(s->r.mem);
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    know_range(s, &copy.node);
    copy.body = simplify_node(&s->r, copy.body);
    ir_analyzer_restore(s->az, mark);
    const ir_for *old = ir_as_for(n);
    bool same = copy.min == old->min && copy.extent == old->extent && copy.body == old->body;
    return same ? n : arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *simplify_block(simplifier *s, const ir_node *n)
{
    const ir_block *b = ir_as_block(n);
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    for (size_t i = 0; i < b->iters.n; ++i) {
        ir_analyzer_bind(s->az, b->iters.at[i].var, b->iters.at[i].min, b->iters.at[i].extent);
    }
    const ir_node *predicate = ir_simplify(s->az, b->predicate);
    if (is_pure(predicate)) ir_analyzer_assume(s->az, predicate);
    const ir_node *out = ir_rewrite_children(&s->r, n);
    ir_analyzer_restore(s->az, mark);
    /* Under its own assumption the condition is true, which is not what it says. */
    if (predicate == ir_as_block(out)->predicate) return out;
    ir_block copy = *ir_as_block(out);
    copy.predicate = predicate;
    return arena_copy(s->r.mem, &copy, sizeof copy);
}

static const ir_node *simplify_bind(simplifier *s, const ir_node *n)
{
    n = ir_rewrite_children(&s->r, n);
    const ir_bind *b = ir_as_bind(n);
    if (is_pure(b->value)) ir_analyzer_let(s->az, b->var, b->value);
    return n;
}

static const ir_node *simplify_node(ir_rewrite *r, const ir_node *n)
{
    simplifier *s = (simplifier *)(void *)r;
    if (n->kind == IR_REDUCER || n->kind == IR_STRING) return n;
    if (!ir_is_stmt(n)) return ir_simplify(s->az, n);
    if (n->kind == IR_IF) return simplify_if(s, n);
    if (n->kind == IR_FOR) return simplify_for(s, n);
    if (n->kind == IR_BLOCK) return simplify_block(s, n);
    if (n->kind == IR_BIND) return simplify_bind(s, n);
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    know_range(s, n);
    n = ir_rewrite_children(r, n);
    ir_analyzer_restore(s->az, mark);
    return n;
}

static const ir_node *simplify_func(pass_context *cx, const ir_func *f)
{
    simplifier s = {.r = {.mem = cx->mem, .node = simplify_node}, .az = ir_analyzer_new(cx->mem)};
    know_shapes(s.az, f);
    return simplify_node(&s.r, f->body);
}

const ir_module *pass_simplify(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, simplify_func);
}
