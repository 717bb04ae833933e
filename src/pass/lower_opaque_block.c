/* lower_opaque_block: blocks dissolve into allocations, conditions and statements; unit loops and
 * attributes go.
 *
 * Why: what is left says what runs, and nothing about how it was scheduled.
 *
 *     for u in range(1):                         T.alloc S (local)
 *         with T.sblock("B"):                    if i < n:
 *             T.where(i < n)              ->         S[0] = A[i]
 *             S = T.sblock_alloc_buffer((1,))        B[0] = S[0]
 *             S[0] = A[i]; B[u] = S[0]
 *
 * An annotation, pragma or attribute that no pass of Ingot acts on is named in a warning and
 * dropped; one that would change what the program means is refused. Left alone: loops that a
 * `break` or `continue` belongs to, hints to unroll_loop, reduce_scope. */
#include "ir/walk.h"
#include "pass/jumps.h"
#include "pass/notes.h"

typedef struct dissolve {
    ir_rewrite r;
    pass_context *cx;
    map by; /* variable of a unit loop -> 0 */
} dissolve;

static const ir_node *attribute(dissolve *d, const ir_node *n)
{
    const ir_attr *a = ir_as_attr(n);
    const char *what = str_starts(a->key, STR("pragma_")) ? "pragma" : "attribute";
    return note_stays(d->cx, n->at, what, a->key) ? n : a->body;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

static const ir_node *loop(dissolve *d, const ir_node *n)
{
    ir_for copy = *ir_as_for(n);
    copy.annotations = notes_kept(d->cx, n->at, copy.annotations);
    bool unit = copy.loop != IR_THREAD_BOUND && ir_is_const(copy.extent, 1);
    if (unit && !jumps_belong(copy.body)) {
        map_put_id(d->cx->mem, &d->by, copy.var, copy.min);
        return copy.body;
    }
    return copy.annotations.at == ir_as_for(n)->annotations.at
               ? n
               : arena_copy(d->cx->mem, &copy, sizeof copy);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static const ir_node *block(dissolve *d, const ir_node *n)
{
    arena *mem = d->cx->mem;
    const ir_block *b = ir_as_block(n);
    (void)notes_kept(d->cx, n->at, b->annotations);
    ir_node_vec body = {0};
    for (size_t i = 0; i < b->allocs.n; ++i) {
        const ir_buffer *buffer = b->allocs.at[i];
        ir_node_vec_push(mem, &body,
                         ir_make(mem, ALLOC, alloc, buffer->at, IR_VOID, .buffer = buffer));
    }
    ir_node_vec_push(mem, &body, b->body);
    const ir_node *all = ir_seq_new(mem, body.at, body.n, n->at);
    if (ir_is_const(b->predicate, 1)) return all;
    return ir_make(mem, IF, if, n->at, IR_VOID, .cond = b->predicate, .yes = all);
}

static const ir_node *dissolve_node(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    dissolve *d = (dissolve *)(void *)r;
    n = ir_rewrite_children(r, n);
    if (n->kind == IR_BLOCK) return block(d, n);
    if (n->kind == IR_FOR) return loop(d, n);
    if (n->kind == IR_ATTR) return attribute(d, n);
    return n;
}

static const ir_node *dissolve_func(pass_context *cx, const ir_func *f)
{
    dissolve d = {.r = {.mem = cx->mem, .node = dissolve_node}, .cx = cx};
    const ir_node *body = dissolve_node(&d.r, f->body);
    return ir_substitute(cx->mem, body, &d.by);
}

const ir_module *pass_lower_opaque_block(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, dissolve_func);
}
