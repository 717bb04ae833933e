/* lower_warp_memory: memory of a simdgroup's own ("warp") becomes a part of threadgroup memory.
 *
 * Why: MSL has no such memory. A simdgroup's part lies behind those of the simdgroups before it, and the
 * barriers between its threads are found with all others.
 *
 *     W = T.alloc_buffer((32,), "float32", scope="warp")      ->      W = T.alloc_buffer((64,), scope="shared")
 *     W[i]                                                            W[(tx // 32) * 32 + i]       (of 64 threads)
 *
 * A group of at most 32 threads is one simdgroup: only the scope changes. Refused: memory whose size, or thread
 * extents that, the build does not know. Left alone: regions without such memory. */
#include "ir/fold.h"
#include "pass/region.h"
#include "pass/rescope.h"

enum { SIMD = 32 };

typedef struct warp_memory {
    ir_rewrite r;
    pass_context *cx;
    map bytes;           /* pointer -> const int64_t *, the size of one simdgroup's part */
    map grown;           /* buffer -> the one that all simdgroups' parts make */
    const ir_node *simd; /* number of the thread's simdgroup */
    int64_t groups;      /* simdgroups of a threadgroup; 0: not known */
} warp_memory;

static void note_warp(void *user, const ir_node *n)
{
    warp_memory *w = user;
    if (n->kind != IR_ALLOC || ir_as_alloc(n)->buffer->scope != IR_SCOPE_WARP) return;
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    int64_t *bytes = arena_new(w->cx->mem, int64_t), size = (int64_t)ir_type_bytes(b->type);
    for (size_t i = 0; i < b->shape.n; ++i) {
        int64_t extent = 0;
        if (ir_const_value(b->shape.at[i], &extent) && extent > 0 && !__builtin_mul_overflow(size, extent, &size))
            continue;
        diag_error(w->cx->diags, n->at, "'%.*s': memory of scope \"warp\" needs a constant size", STR_ARG(b->name));
        break;
    }
    *bytes = size;
    map_put_id(w->cx->mem, &w->bytes, b->data, bytes);
}

/* Numbers the simdgroups of a group with x fastest. */
static void count_simdgroups(warp_memory *w, const region_axes *axes)
{
    static const char *const tags[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z"};
    arena *mem = w->cx->mem;
    const ir_node *thread = ir_i32(mem, 0);
    int64_t threads = 1;
    for (size_t i = 0; i < 3; ++i) {
        const region_axis *a = region_axis_tagged(axes, tags[i]);
        if (a == NULL) continue;
        const ir_node *at = ir_fold_cast(mem, IR_I32, ir_ref(mem, a->var, a->at));
        thread = ir_add(mem, thread, ir_mul(mem, at, ir_i32(mem, threads)));
        threads *= region_axis_extent(a);
        if (threads <= 0 || threads > 4096) return;
    }
    w->groups = (threads + SIMD - 1) / SIMD;
    w->simd = ir_floordiv(mem, thread, ir_i32(mem, SIMD));
}

/* The indices of an access to `b`, moved to the thread's simdgroup's part. */
static ir_list moved_index(warp_memory *w, const ir_buffer *b, ir_list index, span at)
{
    const int64_t *bytes = map_get_id(&w->bytes, b->data);
    if (bytes == NULL || index.n != 1) return index;
    arena *mem = w->cx->mem;
    int64_t size = (int64_t)ir_type_bytes(b->type);
    if (*bytes % size != 0) {
        diag_error(w->cx->diags, at, "'%.*s' views memory of scope \"warp\" whose size its elements do not divide",
                   STR_ARG(b->name));
        return index;
    }
    const ir_node *i = index.at[0];
    const ir_node *base = ir_mul(mem, w->simd, ir_i32(mem, *bytes / size));
    base = ir_fold_cast(mem, ir_type_element(i->type), base);
    if (i->type.lanes > 1) base = ir_broadcast_new(mem, base, i->type.lanes);
    return ir_list_one(mem, ir_add(mem, base, i));
}

static const ir_node *moved(ir_rewrite *r, const ir_node *n)
{
    warp_memory *w = (warp_memory *)(void *)r;
    const ir_node *out = ir_rewrite_children(r, n);
    if (out->kind == IR_LOAD) {
        ir_load load = *ir_as_load(out);
        load.index = moved_index(w, load.buffer, load.index, n->at);
        return arena_copy(r->mem, &load, sizeof load);
    }
    if (out->kind == IR_STORE) {
        ir_store store = *ir_as_store(out);
        store.index = moved_index(w, store.buffer, store.index, n->at);
        return arena_copy(r->mem, &store, sizeof store);
    }
    if (out->kind == IR_VAR && map_get_id(&w->bytes, ir_as_var_ref(out)->var) != NULL) {
        diag_error(w->cx->diags, n->at, "'%.*s': memory of scope \"warp\" of several simdgroups has no one address",
                   STR_ARG(ir_as_var_ref(out)->var->name));
    }
    return out;
}

/* The memory, and each view of it, has room for all simdgroups. */
static const ir_buffer *grown(ir_rewrite *r, const ir_buffer *b)
{
    warp_memory *w = (warp_memory *)(void *)r;
    if (map_get_id(&w->bytes, b->data) == NULL || b->shape.n != 1) return b;
    const ir_buffer *known = map_get_id(&w->grown, b);
    if (known != NULL) return known;
    ir_buffer *fresh = arena_copy(r->mem, b, sizeof *b);
    const ir_node *groups = ir_fold_cast(r->mem, b->shape.at[0]->type, ir_i32(r->mem, w->groups));
    fresh->shape = ir_list_one(r->mem, ir_mul(r->mem, b->shape.at[0], groups));
    map_put_id(r->mem, &w->grown, b, fresh);
    return fresh;
}

static const ir_node *lower_region(void *user, const ir_node *region)
{
    pass_context *cx = user;
    warp_memory w = {.r = {.mem = cx->mem, .node = moved, .buffer = grown}, .cx = cx};
    ir_each(region, note_warp, &w);
    if (w.bytes.n == 0) return region;
    region_axes axes = region_axes_of(cx->mem, region);
    count_simdgroups(&w, &axes);
    if (w.groups == 0) {
        diag_error(cx->diags, region->at, "memory of scope \"warp\" needs thread extents that are known at build");
        return region;
    }
    if (w.groups > 1) region = moved(&w.r, region);
    return rescope(cx->mem, region, &w.bytes, IR_SCOPE_SHARED);
}

static const ir_node *lower_body(pass_context *cx, const ir_func *f)
{
    return region_each(cx->mem, f->body, lower_region, cx);
}

const ir_module *pass_lower_warp_memory(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower_body);
}
