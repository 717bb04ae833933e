/* verify_memory: host code must not touch device memory.
 *
 * Why: a buffer of the program lives on the GPU; a loop that is bound to no thread axis would run on the host.
 *
 *     for i in range(16):
 *         B[i] = A[i] + 1.0        ->     refused, with the place of the access
 *
 * Left alone: the bodies of kernels, and memory of the host's own (scope "local"). */
#include "ir/walk.h"
#include "pass/pass.h"

typedef struct memory_check {
    ir_walk w;
    pass_context *cx;
    const ir_func *f;
    map told; /* memory that was reported already */
} memory_check;

static void report(memory_check *c, const ir_node *at, const ir_buffer *b, const char *verb)
{
    if (b->data->scope != IR_SCOPE_GLOBAL || map_get_id(&c->told, b->data) != NULL) return;
    map_put_id(c->cx->mem, &c->told, b->data, b);
    diag_error(c->cx->diags, at->at, "'%.*s' %s '%.*s' outside of any thread: direct host side access to device memory. "
               "Did you forget to bind a loop to threads?", STR_ARG(c->f->name), verb, STR_ARG(b->name));
}

static void visit(ir_walk *w, const ir_node *n)
{
    memory_check *c = (memory_check *)(void *)w;
    if (n->kind == IR_THREAD) return;
    if (n->kind == IR_CALL && ir_is_atomic(ir_as_call(n)->fn)) {
        const ir_load *place = ir_as_load(ir_as_call(ir_as_call(n)->args.at[0])->args.at[0]);
        report(c, n, place->buffer, "changes");
    }
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ADDRESS_OF) return; /* a place, not an access */
    if (n->kind == IR_LOAD) report(c, n, ir_as_load(n)->buffer, "reads");
    if (n->kind == IR_STORE) report(c, n, ir_as_store(n)->buffer, "writes");
    ir_walk_children(w, n);
}

static const ir_node *verify(pass_context *cx, const ir_func *f)
{
    if (f->kind == IR_FUNC_KERNEL) return f->body; /* written out as a kernel: all of it runs on the device */
    memory_check c = {.w = {.node = visit}, .cx = cx, .f = f};
    visit(&c.w, f->body);
    return f->body;
}

const ir_module *pass_verify_memory(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, verify);
}
