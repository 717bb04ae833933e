/* place_allocations: what a block allocates is allocated where it is used.
 *
 * Why: threadgroup and local memory belongs to a kernel, not to the function that launches it.
 *
 *     with T.sblock("root"):                            with T.sblock("root"):
 *         S = T.sblock_alloc_buffer(..., "shared")          for bx in T.thread_binding(4, ...):
 *         for bx in T.thread_binding(4, ...):        ->         S = T.alloc_buffer(..., "shared")
 *             ... S ...                                         ... S ...
 *
 * The place is the smallest statement that holds all uses. It is below a loop of the kernel only
 * where each iteration is seen to store what it reads, so that nothing is handed on in the buffer.
 * Global memory stays on the host; a threadgroup that allocates it is refused. A buffer that
 * nothing uses goes. Left alone: allocations that are statements already. */
#include "pass/shapes.h"
#include "pass/touched.h"
#include "pass/users.h"

typedef struct placing {
    ir_rewrite r;
    pass_context *cx;
    ir_analyzer *az; /* knows the loops and axes around the statement at hand */
    bool in_kernel;
    thread_axis_vec axes; /* of the threads of a group, around the statement at hand */
} placing;

/* ---- Loops of a kernel ----------------------------------------------------------------------- */

/* Is a value that the buffer holds handed from one iteration to the next, as far as blocks can
 * tell? */
typedef struct carry_search {
    ir_walk w;
    arena *mem;
    const ir_for *loop;
    const ir_var *data;
    ir_node_vec blocks; /* around the statement at hand, inside the loop */
    map inner;          /* variables defined inside the loop */
    bool carried;
} carry_search;

typedef struct only_loop {
    ir_walk w;
    const carry_search *s;
    bool loop, other;
} only_loop;

static void only_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void only_var(ir_walk *w, const ir_var *v)
{
    only_loop *o = (only_loop *)(void *)w;
    o->loop |= v == o->s->loop->var;
    o->other |= map_get_id(&o->s->inner, v) != NULL;
}

/* Does the condition choose among iterations of the loop, as "k == 0" does, and not among elements?
 */
static bool chooses_iterations(const carry_search *s, const ir_node *cond)
{
    only_loop o = {.w = {.node = only_node, .use_var = only_var}, .s = s};
    only_node(&o.w, cond);
    return o.loop && !o.other;
}

static void carry_def(ir_walk *w, const ir_var *v)
{
    carry_search *s = (carry_search *)(void *)w;
    map_put_id(s->mem, &s->inner, v, v);
}

/* A store in a block whose spatial variables say which elements it makes; its other variables, and
 * its condition if that is not about those elements, must have nothing to do with the loop. */
static bool makes_anew(const carry_search *s)
{
    bool spatial = false;
    for (size_t i = 0; i < s->blocks.n; ++i) {
        const ir_block *b = ir_as_block(s->blocks.at[i]);
        for (size_t k = 0; k < b->iters.n; ++k) {
            const ir_iter *it = &b->iters.at[k];
            spatial |= it->kind == IR_SPATIAL;
            if (it->kind != IR_SPATIAL && ir_uses_var(it->binding, s->loop->var)) return false;
        }
        if (chooses_iterations(s, b->predicate)) return false;
    }
    return spatial;
}

static void carry_node(ir_walk *w, const ir_node *n)
{
    carry_search *s = (carry_search *)(void *)w;
    if (!ir_is_stmt(n)) return;
    if (n->kind == IR_STORE && ir_as_store(n)->buffer->data == s->data && !makes_anew(s))
        s->carried = true;
    if (n->kind != IR_BLOCK) {
        ir_walk_children(w, n);
        return;
    }
    const ir_block *b = ir_as_block(n);
    ir_node_vec_push(s->mem, &s->blocks, n);
    if (block_views(b, s->data) && block_writes(b, s->data) && !makes_anew(s)) s->carried = true;
    ir_walk_children(w, n);
    s->blocks.n--;
}

/* Is the memory stored to before anything is read from it, whatever the path? */
static bool stores_first(const ir_node *n, const ir_var *data)
{
    thread_axis axis;
    if (n->kind == IR_SEQ) {
        ir_list body = ir_as_seq(n)->body;
        size_t i = 0;
        while (i < body.n && !memory_is_touched(body.at[i], data)) ++i;
        return i < body.n && stores_first(body.at[i], data);
    }
    if (thread_axis_of(n, &axis)) return stores_first(axis.body, data);
    if (n->kind == IR_FOR) return stores_first(ir_as_for(n)->body, data);
    if (n->kind == IR_BLOCK && block_views(ir_as_block(n), data))
        return block_writes(ir_as_block(n), data) && !block_reads(ir_as_block(n), data);
    if (n->kind == IR_BLOCK) return stores_first(ir_as_block(n)->body, data);
    return n->kind == IR_STORE && !memory_is_touched(ir_as_store(n)->value, data);
}

/* Does each iteration store all that it reads? Then the buffer may be allocated anew in each. */
static bool is_fresh(placing *p, const ir_buffer *b, const ir_node *n)
{
    const ir_for *loop = ir_as_for(n);
    if (loop->loop == IR_VECTORIZED || !stores_first(loop->body, b->data)) return false;
    carry_search s = {.w = {.node = carry_node, .def_var = carry_def},
                      .mem = p->cx->mem,
                      .loop = loop,
                      .data = b->data};
    carry_node(&s.w, loop->body);
    if (s.carried) return false;
    touched_query q = {.mem = p->cx->mem, .buffer = b, .around = p->az};
    thread_axis axis;
    size_t axes = p->axes.n;
    if (thread_axis_in_group(n, &axis)) thread_axis_vec_push(p->cx->mem, &p->axes, axis);
    if (thread_scope_is_shared(b->scope)) q.shared = &p->axes;
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    ir_analyzer_bind(p->az, loop->var, loop->min, loop->extent);
    q.writes = true;
    touched stored = touched_by(&q, loop->body);
    q.writes = false;
    q.reads = true;
    touched read = touched_by(&q, loop->body);
    bool covers = touched_covers(p->az, p->cx->mem, &stored, &read);
    ir_analyzer_restore(p->az, mark);
    p->axes.n = axes;
    return covers;
}

/* ---- Finding the place ----------------------------------------------------------------------- */

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
    for (size_t i = 0; i < copy.iters.n; ++i)
        at_head |= memory_is_touched(copy.iters.at[i].binding, b->data);
    for (size_t i = 0; i < copy.matches.n; ++i)
        at_head |= copy.matches.at[i].source.buffer->data == b->data;
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
    bool inside = p->in_kernel ? is_fresh(p, b, n) : thread_axis_below(n);
    if (!inside || memory_is_touched(ir_as_for(n)->extent, b->data)) return alloc_before(p, b, n);
    ir_for copy = *ir_as_for(n);
    thread_axis axis;
    size_t axes = p->axes.n;
    if (thread_axis_in_group(n, &axis)) thread_axis_vec_push(p->cx->mem, &p->axes, axis);
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    ir_analyzer_bind(p->az, copy.var, copy.min, copy.extent);
    copy.body = place(p, b, copy.body);
    ir_analyzer_restore(p->az, mark);
    p->axes.n = axes;
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *place_in_axis(placing *p, const ir_buffer *b, const thread_axis *axis)
{
    bool before = p->in_kernel;
    size_t axes = p->axes.n;
    p->in_kernel = true;
    if (thread_tag_is_local(axis->tag)) thread_axis_vec_push(p->cx->mem, &p->axes, *axis);
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    thread_axis_know(p->az, p->cx->mem, axis);
    const ir_node *body = place(p, b, axis->body);
    ir_analyzer_restore(p->az, mark);
    p->axes.n = axes;
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
        if (b->scope == IR_SCOPE_GLOBAL || memory_is_touched(axis.extent, b->data))
            return alloc_before(p, b, n);
        return place_in_axis(p, b, &axis);
    }
    if (n->kind == IR_BLOCK) return place_in_block(p, b, n);
    if (n->kind == IR_IF) return place_in_if(p, b, n);
    if (n->kind == IR_FOR && b->scope != IR_SCOPE_GLOBAL) return place_in_loop(p, b, n);
    return alloc_before(p, b, n);
}

/* ---- The blocks that allocate ---------------------------------------------------------------- */

/* All of a block's allocations in its sequence. */
static const ir_node *place_all_in_seq(placing *p, ir_buffers allocs, const ir_node *seq)
{
    arena *mem = p->cx->mem;
    ir_list body = ir_as_seq(seq)->body;
    seq_users users = seq_users_of(mem, body);
    const ir_node **at = arena_copy(mem, body.at, body.n * sizeof *at);
    ir_buffer_vec *before = arena_array(mem, ir_buffer_vec, body.n);
    for (size_t i = allocs.n; i-- > 0;) {
        const ir_buffer *b = allocs.at[i];
        const index_vec *at_work = seq_users_find(&users, b->data);
        if (at_work == NULL) continue;
        size_t first = at_work->at[0];
        if (at_work->n == 1) at[first] = place(p, b, at[first]);
        else ir_buffer_vec_push(mem, &before[first], b);
    }
    ir_node_vec out = {0};
    for (size_t i = 0; i < body.n; ++i) {
        for (size_t k = before[i].n; k-- > 0;) {
            const ir_buffer *b = before[i].at[k];
            ir_node_vec_push(mem, &out, ir_make(mem, ALLOC, alloc, b->at, IR_VOID, .buffer = b));
        }
        ir_node_vec_push(mem, &out, at[i]);
    }
    return ir_seq_new(mem, out.at, out.n, seq->at);
}

static const ir_node *place_all(placing *p, const ir_node *n)
{
    ir_block copy = *ir_as_block(n);
    for (size_t i = 0; i < copy.allocs.n; ++i) {
        const ir_buffer *b = copy.allocs.at[i];
        if (!p->in_kernel || b->scope != IR_SCOPE_GLOBAL || !thread_axis_below(copy.body)) continue;
        thread_axis_refuse_global(p->cx, b);
    }
    if (copy.body->kind == IR_SEQ) {
        copy.body = place_all_in_seq(p, copy.allocs, copy.body);
    } else {
        for (size_t i = copy.allocs.n; i-- > 0;) copy.body = place(p, copy.allocs.at[i], copy.body);
    }
    copy.allocs = (ir_buffers){0};
    return arena_copy(p->cx->mem, &copy, sizeof copy);
}

static const ir_node *place_node(ir_rewrite *r, const ir_node *n)
{
    placing *p = (placing *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    bool before = p->in_kernel;
    size_t axes = p->axes.n;
    ir_analyzer_mark mark = ir_analyzer_save(p->az);
    thread_axis axis;
    if (n->kind == IR_FOR) ir_analyzer_bind(p->az, ir_as_for(n)->var, ir_as_for(n)->min, ir_as_for(n)->extent);
    if (thread_axis_of(n, &axis)) {
        p->in_kernel = true;
        if (n->kind != IR_FOR) thread_axis_know(p->az, r->mem, &axis);
    }
    if (thread_axis_in_group(n, &axis)) thread_axis_vec_push(r->mem, &p->axes, axis);
    if (n->kind == IR_BLOCK && ir_as_block(n)->allocs.n != 0) n = place_all(p, n);
    n = ir_rewrite_children(r, n);
    ir_analyzer_restore(p->az, mark);
    p->axes.n = axes;
    p->in_kernel = before;
    return n;
}

static const ir_node *place_func(pass_context *cx, const ir_func *f)
{
    placing p = {.r = {.mem = cx->mem, .node = place_node}, .cx = cx, .az = ir_analyzer_new(cx->mem)};
    know_shapes(p.az, f);
    return place_node(&p.r, f->body);
}

const ir_module *pass_place_allocations(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, place_func);
}
