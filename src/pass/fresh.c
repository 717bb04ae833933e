/* Renames what a statement defines. */
#include "pass/fresh.h"

typedef struct renaming {
    ir_rewrite r;
    map vars, buffers; /* old -> new */
} renaming;

static void define_var(renaming *f, const ir_var *v)
{
    map_put_id(f->r.mem, &f->vars, v, arena_copy(f->r.mem, v, sizeof *v));
}

static void collect(void *user, const ir_node *n)
{
    renaming *f = user;
    const ir_buffer *b = NULL;
    switch ((int)n->kind) {
    case IR_BIND: define_var(f, ir_as_bind(n)->var); break;
    case IR_LET: define_var(f, ir_as_let(n)->var); break;
    case IR_FOR: define_var(f, ir_as_for(n)->var); break;
    case IR_THREAD: define_var(f, ir_as_thread(n)->var); break;
    case IR_ALLOC:
        b = ir_as_alloc(n)->buffer;
        define_var(f, b->data);
        break;
    case IR_DECL: b = ir_as_decl(n)->buffer; break;
    case IR_REDUCER:
        for (size_t i = 0; i < ir_as_reducer(n)->lhs.n; ++i) define_var(f, ir_as_reducer(n)->lhs.at[i]);
        for (size_t i = 0; i < ir_as_reducer(n)->rhs.n; ++i) define_var(f, ir_as_reducer(n)->rhs.at[i]);
        break;
    default: break;
    }
    if (b != NULL) map_put_id(f->r.mem, &f->buffers, b, arena_copy(f->r.mem, b, sizeof *b));
}

static const ir_node *rename_node(ir_rewrite *r, const ir_node *n)
{
    return ir_rewrite_children(r, n);
}

static const ir_var *rename_var(ir_rewrite *r, const ir_var *v)
{
    const ir_var *fresh = map_get_id(&((renaming *)(void *)r)->vars, v);
    return fresh != NULL ? fresh : v;
}

static const ir_buffer *rename_buffer(ir_rewrite *r, const ir_buffer *b)
{
    const ir_buffer *fresh = map_get_id(&((renaming *)(void *)r)->buffers, b);
    return fresh != NULL ? fresh : b;
}

/* The new buffers' pointers and sizes in terms of the new variables. */
static void finish_buffers(renaming *f)
{
    for (size_t i = 0; i < f->buffers.n; ++i) {
        ir_buffer *b = f->buffers.entries[i].value;
        b->data = rename_var(&f->r, b->data);
        b->shape = ir_rewrite_list(&f->r, b->shape);
        b->strides = ir_rewrite_list(&f->r, b->strides);
        if (b->elem_offset != NULL) b->elem_offset = rename_node(&f->r, b->elem_offset);
    }
}

const ir_node *fresh_copy(arena *mem, const ir_node *stmt)
{
    renaming f = {.r = {.mem = mem, .node = rename_node, .var = rename_var, .buffer = rename_buffer}};
    ir_each(stmt, collect, &f);
    if (f.vars.n == 0 && f.buffers.n == 0) return stmt;
    finish_buffers(&f);
    return rename_node(&f.r, stmt);
}
