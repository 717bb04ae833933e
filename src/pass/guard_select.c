/* guard_select: a T.Select whose arm touches memory becomes lazy.
 *
 * Why: both arms of a Select may be evaluated, and the arm not taken may read outside of a buffer.
 *
 *     T.Select(i < n, A[i], 0.0)       ->     T.if_then_else(i < n, A[i], 0.0)
 *
 * Left alone: selects of vectors by a vector condition, whose arms are evaluated for all lanes, as T.Select
 * allows; arms without memory, whose arithmetic lower_builtins makes defined for every value. */
#include "ir/walk.h"
#include "pass/pass.h"

static const ir_node *guard(ir_rewrite *r, const ir_node *n)
{
    n = ir_rewrite_children(r, n);
    if (n->kind != IR_SELECT) return n;
    const ir_select *s = ir_as_select(n);
    if (s->cond->type.lanes != 1 || (!ir_reads_memory(s->yes) && !ir_reads_memory(s->no))) return n;
    const ir_node *args[] = {s->cond, s->yes, s->no};
    return ir_call_new(r->mem, IR_FN_IF_THEN_ELSE, n->type, ir_list_copy(r->mem, args, 3), n->at);
}

static const ir_node *guard_body(pass_context *cx, const ir_func *f)
{
    ir_rewrite r = {.mem = cx->mem, .node = guard};
    return guard(&r, f->body);
}

const ir_module *pass_guard_select(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, guard_body);
}
