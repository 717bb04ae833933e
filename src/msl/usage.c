/* What a kernel does with its memory: which pointers it may write through, and which one-element
 * local buffers can be plain variables. */
#include "msl/emitter.h"

typedef struct usage {
    ir_walk w;
    emitter *e;
    map candidates; /* data pointer -> its ALLOC's buffer */
    map spoiled;    /* data pointer -> itself: used as a pointer, or by a second buffer */
} usage;

static void note_written(usage *u, const ir_var *data)
{
    map_put_id(u->e->mem, &u->e->written, data, data);
}

static void spoil(usage *u, const ir_var *data)
{
    map_put_id(u->e->mem, &u->spoiled, data, data);
}

/* A buffer other than the allocated one over the same memory sees it as an array. */
static void use_buffer(ir_walk *w, const ir_buffer *b)
{
    usage *u = (usage *)(void *)w;
    if (map_get_id(&u->candidates, b->data) != b) spoil(u, b->data);
}

/* A bare pointer may be written through by whoever gets it. */
static void use_var(ir_walk *w, const ir_var *v)
{
    usage *u = (usage *)(void *)w;
    map_put_id(u->e->mem, &u->e->used, v, v);
    if (!ir_type_is_pointer(v->type)) return;
    note_written(u, v);
    spoil(u, v);
}

static bool is_single(const ir_buffer *b)
{
    return b->shape.n == 1 && ir_is_const(b->shape.at[0], 1) && b->scope == IR_SCOPE_LOCAL;
}

static void visit_address(usage *u, const ir_call *call)
{
    const ir_node *place = call->args.at[0];
    if (place->kind != IR_LOAD) return;
    const ir_buffer *b = ir_as_load(place)->buffer;
    note_written(u, b->data);
    spoil(u, b->data);
}

/* simdgroup_load only reads: an address in it does not make the memory written. */
static bool only_reads(const ir_node *n)
{
    return n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_SIMD_LOAD;
}

static void visit(ir_walk *w, const ir_node *n);

static void visit_reader(usage *u, const ir_call *call)
{
    /* (d, index, pointer, stride, ...): the matrix is written, the pointer's memory is not. */
    for (size_t i = 0; i < call->args.n; ++i) {
        const ir_node *arg = call->args.at[i];
        bool address = i == 2 && arg->kind == IR_CALL && ir_as_call(arg)->fn == IR_FN_ADDRESS_OF;
        if (!address) {
            visit(&u->w, arg);
            continue;
        }
        const ir_load *place = ir_as_load(ir_as_call(arg)->args.at[0]);
        spoil(u, place->buffer->data);
        for (size_t k = 0; k < place->index.n; ++k) visit(&u->w, place->index.at[k]);
    }
}

static void visit(ir_walk *w, const ir_node *n)
{
    usage *u = (usage *)(void *)w;
    if (n->kind == IR_STORE) note_written(u, ir_as_store(n)->buffer->data);
    if (n->kind == IR_ALLOC && is_single(ir_as_alloc(n)->buffer)) {
        const ir_buffer *b = ir_as_alloc(n)->buffer;
        map_put_id(u->e->mem, &u->candidates, b->data, b);
    }
    if (only_reads(n)) {
        visit_reader(u, ir_as_call(n));
        return;
    }
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ADDRESS_OF) visit_address(u, ir_as_call(n));
    ir_walk_children(w, n);
}

void msl_note_usage(emitter *e, const ir_func *kernel)
{
    usage u = {.w = {.node = visit, .use_var = use_var, .use_buffer = use_buffer}, .e = e};
    visit(&u.w, kernel->body);
    for (size_t i = 0; i < u.candidates.n; ++i) {
        const void *data = u.candidates.entries[i].id;
        if (map_get_id(&u.spoiled, data) == NULL) map_put_id(e->mem, &e->scalars, data, data);
    }
}
