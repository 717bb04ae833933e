/* place_allocations: what a block allocates is allocated where it is used.
 *
 * Why: threadgroup and local memory belongs to a kernel, not to the function that launches it.
 *
 *     with T.sblock("root"):                            with T.sblock("root"):
 *         S = T.sblock_alloc_buffer((32,), "float32",       for bx in T.thread_binding(4, "blockIdx.x"):
 *                                   scope="shared")    ->       T.alloc S
 *         for bx in T.thread_binding(4, "blockIdx.x"):          ... S ...
 *             ... S ...
 *
 * The place is the smallest statement that holds all uses, but not below a loop of the kernel: its iterations may hand
 * values on in the buffer. Global memory stays on the host; a kernel that allocates it is refused. A buffer that
 * nothing uses goes. Left alone: allocations that are statements already. */
#include "pass/thread_axis.h"

typedef struct placing {
    ir_rewrite r;
    pass_context *cx;
    bool in_kernel;
} placing;

/* ---- Finding the place ----------------------------------------------------------------------------- */

static const ir_node *place(placing *p, const ir_buffer *b, const ir_node *n);

static const ir_node *alloc_before(placing *p, const ir_buffer *b, const ir_node *n)
{
    const ir_node *both[] = {ir_make(p->cx->mem, ALLOC, alloc, b->at, IR_VOID, .buffer = b), n};
    return ir_seq_new(p->cx->mem, both, 2, n->at);
}

static const ir_node *place_in_seq(placing *p, const ir_buffer *b, const ir_node *n)
{
    arena *mem = p->cx->mem;
    ir_list body = ir_as_seq(n)->body;
    size_t first = body.n, users = 0;
    for (size_t i = 0; i < body.n; ++i) {
        if (!memory_is_touched(body.at[i], b->data)) continue;
        if (users++ == 0) first = i;
    }
    if (users == 0) return n;
    const ir_node **at = arena_copy(mem, body.at, body.n * sizeof *at);
    at[first] = users == 1 ? place(p, b, at[first]) : alloc_before(p, b, at[first]);
    return ir_seq_new(mem, at, body.n, n->at);
}

static ir_regions without(placing *p, ir_regions regions, const ir_buffer *b)
{
    ir_region *at = arena_array(p->cx->mem, ir_region, regions.n);
    size_t n = 0;
    for (size_t i = 0; i < regions.n; ++i) {
        if (regions.at[i].buffer->data != b->data) at[n++] = regions.at[i];
    }
    return n == regions.n ? regions : (ir_regions){at, n};
}

static const ir_node *place_in_block(placing *p, const ir_buffer *b, const ir_node *n)
{
    ir_block copy = *ir_as_block(n);
    bool at_head = memory_is_touched(copy.predicate, b->data);
    for (size_t i = 0; i < copy.iters.n; ++i) at_head |= memory_is_touched(copy.iters.at[i].binding, b->data);
    for (size_t i = 0; i < copy.matches.n; ++i) at_head |= copy.matches.at[i].source.buffer->data == b->data;
    if (at_head) return alloc_before(p, b, n);
    /* Outside of the block there is no such buffer any more. */
    copy.reads = without(p, copy.reads, b);
    copy.writes = without(p, copy.writes, b);
    copy.body = place(p, b, copy.body);
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *place_in_if(placing *p, const ir_buffer *b, const ir_node *n)
{
    ir_if copy = *ir_as_if(n);
    bool yes = memory_is_touched(copy.yes, b->data), no = memory_is_touched(copy.no, b->data);
    if (memory_is_touched(copy.cond, b->data) || yes == no) return alloc_before(p, b, n);
    if (yes) copy.yes = place(p, b, copy.yes);
    if (no) copy.no = place(p, b, copy.no);
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *place_in_loop(placing *p, const ir_buffer *b, const ir_node *n)
{
    /* On the host each iteration launches kernels, which keep nothing. */
    bool launches = !p->in_kernel && thread_axis_below(n);
    if (!launches || memory_is_touched(ir_as_for(n)->extent, b->data)) return alloc_before(p, b, n);
    ir_for copy = *ir_as_for(n);
    copy.body = place(p, b, copy.body);
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *place_in_axis(placing *p, const ir_buffer *b, const thread_axis *axis)
{
    bool before = p->in_kernel;
    p->in_kernel = true;
    const ir_node *body = place(p, b, axis->body);
    p->in_kernel = before;
    return thread_axis_wrap(p->cx->mem, axis, body);
}

/* `n` with the allocation of `b` inside or before it. */
static const ir_node *place(placing *p, const ir_buffer *b, const ir_node *n)
{
    thread_axis axis;
    if (n->kind == IR_SEQ) return place_in_seq(p, b, n);
    if (!memory_is_touched(n, b->data)) return n;
    if (thread_axis_of(n, &axis)) {
        if (b->scope == IR_SCOPE_GLOBAL || memory_is_touched(axis.extent, b->data)) return alloc_before(p, b, n);
        return place_in_axis(p, b, &axis);
    }
    if (n->kind == IR_BLOCK) return place_in_block(p, b, n);
    if (n->kind == IR_IF) return place_in_if(p, b, n);
    if (n->kind == IR_FOR && b->scope != IR_SCOPE_GLOBAL) return place_in_loop(p, b, n);
    return alloc_before(p, b, n);
}

/* ---- The blocks that allocate ---------------------------------------------------------------------- */

static const ir_node *place_all(placing *p, const ir_node *n)
{
    ir_block copy = *ir_as_block(n);
    for (size_t i = copy.allocs.n; i-- > 0;) {
        const ir_buffer *b = copy.allocs.at[i];
        if (p->in_kernel && b->scope == IR_SCOPE_GLOBAL) {
            diag_error(p->cx->diags, b->at, "global memory cannot be allocated inside a kernel: '%.*s'", STR_ARG(b->name));
        }
        copy.body = place(p, b, copy.body);
    }
    copy.allocs = (ir_buffers){0};
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *place_node(ir_rewrite *r, const ir_node *n)
{
    placing *p = (placing *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    bool before = p->in_kernel;
    thread_axis axis;
    p->in_kernel |= thread_axis_of(n, &axis);
    if (n->kind == IR_BLOCK && ir_as_block(n)->allocs.n != 0) n = place_all(p, n);
    n = ir_rewrite_children(r, n);
    p->in_kernel = before;
    return n;
}

static const ir_node *place_func(pass_context *cx, const ir_func *f)
{
    placing p = {.r = {.mem = cx->mem, .node = place_node}, .cx = cx};
    return place_node(&p.r, f->body);
}

const ir_module *pass_place_allocations(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, place_func);
}
