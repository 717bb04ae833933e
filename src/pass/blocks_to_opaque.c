/* blocks_to_opaque: iteration variables of blocks are replaced by what they are bound to.
 *
 * Why: from here on an index is an expression over loops and threads alone.
 *
 *     with T.sblock("B"):                             with T.sblock("B"):
 *         vi = T.axis.spatial(1024, bx * 32 + tx) ->      B[bx * 32 + tx] = A[bx * 32 + tx] + 1
 *         B[vi] = A[vi] + 1
 *
 * A binding that reads memory is evaluated once, into a name at the head of the block. Left alone:
 * blocks without iteration variables. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/pass.h"

typedef struct opaque {
    ir_rewrite r;
    pass_context *cx;
    map by;    /* iteration variable -> its value, or a name for it */
    map names; /* iteration variable -> that name, for bindings that read memory */
} opaque;

static const ir_node *value_or_name(opaque *o, const ir_block *b, const ir_iter *it)
{
    arena *mem = o->r.mem;
    const ir_var *v = it->var;
    const ir_node *value = ir_fold_cast(mem, v->type, ir_substitute(mem, it->binding, &o->by));
    if (!ir_reads_memory(value)) return value;
    if (ir_uses_var(b->predicate, v)) {
        diag_error(o->cx->diags, b->predicate->at,
                   "the condition of block '%.*s' uses '%.*s', which is bound to a value in memory",
                   STR_ARG(b->name), STR_ARG(v->name));
    }
    const ir_var *name = ir_var_new(mem, v->name, v->type, v->at);
    map_put_id(mem, &o->names, v, name);
    return ir_ref(mem, name, v->at);
}

/* Outer blocks come first, so that a binding over outer iteration variables is in terms of loops.
 */
static void collect(void *user, const ir_node *n)
{
    opaque *o = user;
    if (n->kind != IR_BLOCK) return;
    const ir_block *b = ir_as_block(n);
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        map_put_id(o->r.mem, &o->by, it->var, value_or_name(o, b, it));
    }
}

/* The block without iteration variables, its named bindings first. */
static const ir_node *without_iters(opaque *o, const ir_block *b)
{
    arena *mem = o->r.mem;
    ir_node_vec body = {0};
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        const ir_var *name = map_get_id(&o->names, it->var);
        if (name == NULL) continue;
        const ir_node *value = ir_fold_cast(mem, name->type, it->binding);
        ir_node_vec_push(mem, &body,
                         ir_make(mem, BIND, bind, it->at, IR_VOID, .var = name, .value = value));
    }
    ir_block copy = *b;
    copy.iters = (ir_iters){0};
    if (body.n != 0) {
        /* The regions would use the names before they are bound. */
        copy.reads = copy.writes = (ir_regions){0};
        ir_node_vec_push(mem, &body, b->body);
        copy.body = ir_seq_new(mem, body.at, body.n, b->body->at);
    }
    return arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *drop_iters(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    n = ir_rewrite_children(r, n);
    if (n->kind != IR_BLOCK || ir_as_block(n)->iters.n == 0) return n;
    return without_iters((opaque *)(void *)r, ir_as_block(n));
}

static const ir_node *make_opaque(pass_context *cx, const ir_func *f)
{
    opaque o = {.r = {.mem = cx->mem, .node = drop_iters}, .cx = cx};
    ir_each(f->body, collect, &o);
    if (o.by.n == 0) return f->body;
    return drop_iters(&o.r, ir_substitute(cx->mem, f->body, &o.by));
}

const ir_module *pass_blocks_to_opaque(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, make_opaque);
}
