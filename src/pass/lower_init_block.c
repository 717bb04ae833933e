/* lower_init_block: a block's `T.init` becomes a guarded statement before its body.
 *
 * Why: later passes know one body a block.
 *
 *     with T.sblock("C"):                      with T.sblock("C"):
 *         vi, vk = T.axis.remap("SR", [i, k])      vi, vk = T.axis.remap("SR", [i, k])
 *         with T.init():                    ->     if vk == 0:
 *             C[vi] = 0                                C[vi] = 0
 *         C[vi] = C[vi] + A[vi, vk]                C[vi] = C[vi] + A[vi, vk]
 *
 * The guard says that each reduction variable is at its start; without such a variable there is
 * none. Left alone: blocks without an init. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/pass.h"

/* True where every reduction variable is at its start. */
static const ir_node *at_start(arena *mem, ir_iters iters)
{
    const ir_node *cond = NULL;
    for (size_t i = 0; i < iters.n; ++i) {
        const ir_iter *it = &iters.at[i];
        if (it->kind != IR_REDUCE) continue;
        const ir_node *first = ir_eq(mem, ir_ref(mem, it->var, it->at), it->min);
        cond = cond == NULL ? first : ir_and(mem, cond, first);
    }
    return cond;
}

static const ir_node *lower_init(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    n = ir_rewrite_children(r, n);
    if (n->kind != IR_BLOCK || ir_as_block(n)->init == NULL) return n;
    ir_block copy = *ir_as_block(n);
    const ir_node *cond = at_start(r->mem, copy.iters);
    const ir_node *both[] = {copy.init, copy.body};
    if (cond != NULL) {
        both[0] = ir_make(r->mem, IF, if, copy.init->at, IR_VOID, .cond = cond, .yes = copy.init);
    }
    copy.body = ir_seq_new(r->mem, both, 2, copy.body->at);
    copy.init = NULL;
    return arena_copy(r->mem, &copy, sizeof copy);
}

static const ir_node *lower(pass_context *cx, const ir_func *f)
{
    ir_rewrite r = {.mem = cx->mem, .node = lower_init};
    return lower_init(&r, f->body);
}

const ir_module *pass_lower_init_block(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower);
}
