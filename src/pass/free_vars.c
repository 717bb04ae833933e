/* Collects uses in order, then drops what was defined inside. */
#include "pass/free_vars.h"

typedef struct use_walk {
    ir_walk w;
    arena *mem;
    map defined, seen; /* variables and buffers alike */
    free_vars used;
} use_walk;

static void use_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void use_var(ir_walk *w, const ir_var *v)
{
    use_walk *u = (use_walk *)(void *)w;
    if (map_get_id(&u->seen, v) != NULL) return;
    map_put_id(u->mem, &u->seen, v, v);
    ir_var_vec_push(u->mem, &u->used.vars, v);
}

static void def_var(ir_walk *w, const ir_var *v)
{
    use_walk *u = (use_walk *)(void *)w;
    map_put_id(u->mem, &u->defined, v, v);
}

static void use_buffer(ir_walk *w, const ir_buffer *b)
{
    use_walk *u = (use_walk *)(void *)w;
    use_var(w, b->data);
    if (map_get_id(&u->seen, b) != NULL) return;
    map_put_id(u->mem, &u->seen, b, b);
    ir_buffer_vec_push(u->mem, &u->used.buffers, b);
}

static void def_buffer(ir_walk *w, const ir_buffer *b)
{
    use_walk *u = (use_walk *)(void *)w;
    map_put_id(u->mem, &u->defined, b, b);
}

/* ALLOC defines the buffer's pointer as well; a DECL and a match only use theirs. */
static void note_alloc(void *user, const ir_node *n)
{
    use_walk *u = user;
    if (n->kind == IR_ALLOC) def_var(&u->w, ir_as_alloc(n)->buffer->data);
    if (n->kind == IR_DECL) use_var(&u->w, ir_as_decl(n)->buffer->data);
    if (n->kind != IR_BLOCK) return;
    ir_buffers allocs = ir_as_block(n)->allocs;
    for (size_t i = 0; i < allocs.n; ++i) def_var(&u->w, allocs.at[i]->data);
}

free_vars free_vars_of(arena *mem, const ir_node *root)
{
    use_walk u = {.w = {.node = use_node, .use_var = use_var, .def_var = def_var,
                        .use_buffer = use_buffer, .def_buffer = def_buffer},
                  .mem = mem};
    ir_each(root, note_alloc, &u);
    use_node(&u.w, root);
    free_vars out = {0};
    for (size_t i = 0; i < u.used.vars.n; ++i) {
        const ir_var *v = u.used.vars.at[i];
        if (map_get_id(&u.defined, v) == NULL) ir_var_vec_push(mem, &out.vars, v);
    }
    for (size_t i = 0; i < u.used.buffers.n; ++i) {
        const ir_buffer *b = u.used.buffers.at[i];
        if (map_get_id(&u.defined, b) == NULL) ir_buffer_vec_push(mem, &out.buffers, b);
    }
    return out;
}
