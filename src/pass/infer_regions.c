/* infer_regions: a block that does not say what it reads and writes is told.
 *
 * Why: T.reads and T.writes may be left out in a program; nobody who looks at a dump has to guess.
 *
 *     with T.sblock("C"):                          with T.sblock("C"):
 *         vi, vj, vk = ...                             vi, vj, vk = ...
 *         with T.init():                               T.reads(A[vi, vk], B[vk, vj])
 *             C[vi, vj] = 0                     ->     T.writes(C[vi, vj])
 *         C[vi, vj] += A[vi, vk] * B[vk, vj]           ...
 *
 * A region is in terms of what is known at the block: its iteration variables and what is around it. A dimension that
 * cannot be told that way is read or written whole; so is a buffer that is used as a pointer. What a reduction's init
 * starts is not read. Left alone: blocks that say, memory of the block's own, the root block. */
#include "ir/fold.h"
#include "pass/free_vars.h"
#include "pass/pass.h"
#include "pass/touched.h"

static ir_range whole(arena *mem, const ir_node *extent)
{
    return (ir_range){ir_int_new(mem, extent->type, 0, extent->at), extent};
}

/* Adds the region of `b` that the accesses touch, where there are any. */
static void add_region(arena *mem, const ir_buffer *b, const touched *t, ir_region *out, size_t *n)
{
    if (!t->any && !t->opaque) return;
    ir_range *ranges = arena_array(mem, ir_range, b->shape.n);
    for (size_t i = 0; i < b->shape.n; ++i) {
        const touched_dim *d = &t->dims[i];
        int64_t extent = 0;
        bool told = t->any && !t->opaque && d->known && !__builtin_sub_overflow(d->most, d->least, &extent) &&
                    extent >= 0 && extent < INT32_MAX;
        ranges[i] = whole(mem, b->shape.at[i]);
        if (!told) continue;
        ranges[i].min = ir_add(mem, d->base, ir_int_like(mem, d->base, d->least));
        ranges[i].extent = ir_int_like(mem, ranges[i].min, extent + 1);
    }
    out[(*n)++] = (ir_region){b, ranges, b->shape.n, b->at};
}

static touched accesses(arena *mem, const ir_buffer *b, const ir_node *body, bool writes)
{
    touched_query q = {.mem = mem, .buffer = b, .reads = !writes, .writes = writes};
    return touched_by(&q, body);
}

typedef struct store_search {
    const ir_buffer *b;
    bool found;
} store_search;

static void find_store(void *user, const ir_node *n)
{
    store_search *s = user;
    s->found |= n->kind == IR_STORE && ir_as_store(n)->buffer == s->b;
}

static bool is_own(const ir_block *n, const ir_buffer *b)
{
    for (size_t i = 0; i < n->allocs.n; ++i) {
        if (n->allocs.at[i] == b) return true;
    }
    for (size_t i = 0; i < n->matches.n; ++i) {
        if (n->matches.at[i].buffer == b) return true;
    }
    return false;
}

static const ir_node *told(arena *mem, const ir_block *n)
{
    const ir_node *parts[] = {n->init != NULL ? n->init : ir_nop(mem), n->body};
    const ir_node *all = ir_seq_new(mem, parts, 2, n->node.at);
    ir_buffer_vec used = free_vars_of(mem, all).buffers;
    ir_region *reads = arena_array(mem, ir_region, used.n + n->matches.n);
    ir_region *writes = arena_array(mem, ir_region, used.n + n->matches.n);
    ir_block copy = *n;
    copy.regions_given = true;
    copy.reads = (ir_regions){reads, 0};
    copy.writes = (ir_regions){writes, 0};
    for (size_t i = 0; i < used.n; ++i) {
        const ir_buffer *b = used.at[i];
        if (is_own(n, b)) continue;
        store_search init = {b, false};
        if (n->init != NULL) ir_each(n->init, find_store, &init);
        touched read = accesses(mem, b, all, false), written = accesses(mem, b, all, true);
        if (!init.found) add_region(mem, b, &read, reads, &copy.reads.n);
        add_region(mem, b, &written, writes, &copy.writes.n);
    }
    for (size_t i = 0; i < n->matches.n; ++i) {
        const ir_match *m = &n->matches.at[i];
        touched read = accesses(mem, m->buffer, all, false), written = accesses(mem, m->buffer, all, true);
        if (read.any || read.opaque) reads[copy.reads.n++] = m->source;
        if (written.any || written.opaque) writes[copy.writes.n++] = m->source;
    }
    return arena_copy(mem, &copy, sizeof copy);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    n = ir_rewrite_children(r, n);
    if (n->kind != IR_BLOCK) return n;
    const ir_block *b = ir_as_block(n);
    bool root = str_is(b->name, "root") && b->iters.n == 0;
    return b->regions_given || root ? n : told(r->mem, b);
}

static const ir_node *infer_body(pass_context *cx, const ir_func *f)
{
    ir_rewrite r = {.mem = cx->mem, .node = visit};
    return visit(&r, f->body);
}

const ir_module *pass_infer_regions(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, infer_body);
}
