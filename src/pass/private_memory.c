/* private_memory: memory of scope "global" that a kernel allocates becomes each thread's own.
 *
 * Why: a kernel cannot allocate device memory; a program that leaves out the scope of a scratch array means
 * the thread's own, as its allocation is a statement of the thread.
 *
 *     t = T.alloc_buffer((4,), "float32")      ->      t = T.alloc_buffer((4,), "float32", scope="local")
 *
 * Only where no thread can see another's elements: all indices are the same for all threads, or the same
 * expression everywhere, and nothing is stored under a condition that only some threads fulfil (inside of
 * the condition that the allocation itself stands under). Else it is refused. Left alone: device
 * temporaries outside of kernels, which the host allocates. */
#include "pass/rescope.h"
#include "pass/uniform.h"

typedef struct scratch {
    const ir_node *alloc;
    const ir_buffer *buffer;
    int depth;           /* of conditions that vary, around the allocation */
    ir_list index;       /* of the first access */
    bool seen, uniform, equal, guarded, escapes;
} scratch;

typedef struct memory_walk {
    ir_walk w;
    pass_context *cx;
    const uniformity *u;
    map scratches; /* pointer -> scratch */
    int depth;
} memory_walk;

static void note_alloc(memory_walk *m, const ir_node *n)
{
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    if (b->scope != IR_SCOPE_GLOBAL) return;
    scratch *s = arena_new(m->cx->mem, scratch);
    *s = (scratch){.alloc = n, .buffer = b, .depth = m->depth, .uniform = true, .equal = true};
    map_put_id(m->cx->mem, &m->scratches, b->data, s);
}

static bool same_indices(ir_list a, ir_list b)
{
    bool same = a.n == b.n;
    for (size_t i = 0; same && i < a.n; ++i) same = ir_equal(a.at[i], b.at[i]);
    return same;
}

static void note_access(memory_walk *m, const ir_buffer *b, ir_list index, bool store)
{
    scratch *s = map_get_id(&m->scratches, b->data);
    if (s == NULL) return;
    if (!s->seen) s->index = index;
    s->seen = true;
    s->equal = s->equal && b == s->buffer && same_indices(s->index, index);
    for (size_t i = 0; i < index.n; ++i) s->uniform = s->uniform && !varies(m->u, index.at[i]);
    s->guarded |= store && m->depth > s->depth;
}

static void visit(ir_walk *w, const ir_node *n)
{
    memory_walk *m = (memory_walk *)(void *)w;
    int depth = m->depth;
    if (n->kind == IR_ALLOC) note_alloc(m, n);
    if (n->kind == IR_LOAD) note_access(m, ir_as_load(n)->buffer, ir_as_load(n)->index, false);
    if (n->kind == IR_STORE) note_access(m, ir_as_store(n)->buffer, ir_as_store(n)->index, true);
    if (n->kind == IR_VAR) {
        scratch *s = map_get_id(&m->scratches, ir_as_var_ref(n)->var);
        if (s != NULL) s->escapes = true;
    }
    if (n->kind == IR_IF && varies(m->u, ir_as_if(n)->cond)) ++m->depth;
    if ((n->kind == IR_FOR || n->kind == IR_WHILE) && loop_varies(m->u, n)) ++m->depth;
    ir_walk_children(w, n);
    m->depth = depth;
}

static const ir_node *lower_region(void *user, const ir_node *region)
{
    pass_context *cx = user;
    region_axes axes = region_axes_of(cx->mem, region);
    uniformity u = uniformity_of(cx->mem, region, &axes);
    memory_walk m = {.w = {.node = visit}, .cx = cx, .u = &u};
    visit(&m.w, region);
    map own = {0};
    for (size_t i = 0; i < m.scratches.n; ++i) {
        const scratch *s = m.scratches.entries[i].value;
        if ((s->uniform || s->equal) && !s->guarded && !s->escapes) {
            map_put_id(cx->mem, &own, s->buffer->data, s);
            continue;
        }
        diag_error(cx->diags, s->alloc->at,
                   "'%.*s' is device memory allocated inside a kernel, which Metal cannot do; give it scope=\"local\" if each "
                   "thread has its own, scope=\"shared\" if the threads of a threadgroup share it", STR_ARG(s->buffer->name));
    }
    return rescope(cx->mem, region, &own, IR_SCOPE_LOCAL);
}

static const ir_node *lower_body(pass_context *cx, const ir_func *f)
{
    return region_each(cx->mem, f->body, lower_region, cx);
}

const ir_module *pass_private_memory(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower_body);
}
