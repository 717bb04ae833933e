/* lower_shared_dyn: threadgroup memory "of launch size" whose size is a constant becomes plain threadgroup memory.
 *
 * Why: a kernel then needs no size at the launch, and runs under launchers that pass none.
 *
 *     S = T.alloc_buffer((256,), scope="shared.dyn")    ->    S = T.alloc_buffer((256,), scope="shared")
 *
 * Left alone: everything else; merge_shared_dyn deals with sizes that only the launch knows. */
#include "pass/pass.h"
#include "pass/rescope.h"

typedef struct dynamic {
    pass_context *cx;
    map pointers;
} dynamic;

static void note_dynamic(void *user, const ir_node *n)
{
    dynamic *d = user;
    if (n->kind != IR_ALLOC || ir_as_alloc(n)->buffer->scope != IR_SCOPE_SHARED_DYN) return;
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    for (size_t i = 0; i < b->shape.n; ++i) {
        if (b->shape.at[i]->kind != IR_INT_IMM) return;
    }
    map_put_id(d->cx->mem, &d->pointers, b->data, b);
}

static const ir_node *lower_body(pass_context *cx, const ir_func *f)
{
    dynamic d = {.cx = cx};
    ir_each(f->body, note_dynamic, &d);
    return rescope(cx->mem, f->body, &d.pointers, IR_SCOPE_SHARED);
}

const ir_module *pass_lower_shared_dyn(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower_body);
}
