/* Replaces pointers and buffers by such of another scope. */
#include "pass/rescope.h"

typedef struct moving {
    ir_rewrite r;
    const map *pointers;
    ir_scope to;
    map vars, buffers; /* old -> new */
} moving;

static const ir_node *keep_going(ir_rewrite *r, const ir_node *n)
{
    return ir_rewrite_children(r, n);
}

static const ir_var *moved_var(ir_rewrite *r, const ir_var *v)
{
    moving *m = (moving *)(void *)r;
    if (map_get_id(m->pointers, v) == NULL) return v;
    const ir_var *known = map_get_id(&m->vars, v);
    if (known != NULL) return known;
    ir_var *fresh = arena_copy(r->mem, v, sizeof *v);
    fresh->scope = m->to;
    map_put_id(r->mem, &m->vars, v, fresh);
    return fresh;
}

static const ir_buffer *moved_buffer(ir_rewrite *r, const ir_buffer *b)
{
    moving *m = (moving *)(void *)r;
    if (map_get_id(m->pointers, b->data) == NULL) return b;
    const ir_buffer *known = map_get_id(&m->buffers, b);
    if (known != NULL) return known;
    ir_buffer *fresh = arena_copy(r->mem, b, sizeof *b);
    fresh->scope = m->to;
    fresh->data = moved_var(r, b->data);
    map_put_id(r->mem, &m->buffers, b, fresh);
    return fresh;
}

const ir_node *rescope(arena *mem, const ir_node *root, const map *pointers, ir_scope to)
{
    if (pointers->n == 0) return root;
    moving m = {.r = {.mem = mem, .node = keep_going, .var = moved_var, .buffer = moved_buffer},
                .pointers = pointers, .to = to};
    return keep_going(&m.r, root);
}
