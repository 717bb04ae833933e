/* merge_shared_dyn: all threadgroup memory of a kernel that is sized at the launch becomes one allocation.
 *
 * Why: a launch passes one size, and Metal gives the memory as one argument.
 *
 *     S = T.alloc_buffer((n,), "float32", scope="shared.dyn")        D = T.alloc_buffer((...,), "uint8", scope="shared.dyn")
 *     R = T.alloc_buffer((m,), "int32", scope="shared.dyn")    ->    S_1: T.let = T.handle_add_byte_offset(D.data, 0)
 *                                                                   R_1: T.let = T.handle_add_byte_offset(D.data, ...)
 *
 * Each part begins at a multiple of 16 bytes; what was allocated before the threads moves into them. Refused: sizes that depend on what the kernel computes. Left
 * alone: a single allocation. */
#include "ir/fold.h"
#include "pass/region.h"
#include "pass/thread_axis.h"

enum { PART_ALIGN = 16 };

typedef struct merge {
    ir_rewrite r;
    pass_context *cx;
    map lets;    /* variable of a BIND of the region -> its value, in terms of no other */
    map defined; /* variables that the region defines otherwise, memory too */
    ir_node_vec allocs;
    const ir_buffer *whole;
    map offsets; /* ALLOC -> its offset in bytes */
} merge;

static void note_definition(void *user, const ir_node *n)
{
    merge *m = user;
    arena *mem = m->cx->mem;
    if (n->kind == IR_BIND && !ir_reads_memory(ir_as_bind(n)->value) && !ir_has_effect(ir_as_bind(n)->value)) {
        map_put_id(mem, &m->lets, ir_as_bind(n)->var, ir_substitute(mem, ir_as_bind(n)->value, &m->lets));
    } else if (n->kind == IR_BIND) {
        map_put_id(mem, &m->defined, ir_as_bind(n)->var, n);
    }
    if (n->kind == IR_FOR) map_put_id(mem, &m->defined, ir_as_for(n)->var, n);
    if (n->kind == IR_THREAD) map_put_id(mem, &m->defined, ir_as_thread(n)->var, n);
    if (n->kind != IR_ALLOC) return;
    map_put_id(mem, &m->defined, ir_as_alloc(n)->buffer->data, n);
    if (ir_as_alloc(n)->buffer->scope == IR_SCOPE_SHARED_DYN) ir_node_vec_push(mem, &m->allocs, n);
}

typedef struct inner_search {
    ir_walk w;
    const merge *m;
    bool found;
} inner_search;

static void see_node(ir_walk *w, const ir_node *n)
{
    inner_search *s = (inner_search *)(void *)w;
    /* Device memory is not the host's to read before the launch. */
    if (n->kind == IR_LOAD) s->found |= ir_as_load(n)->buffer->scope != IR_SCOPE_LOCAL;
    ir_walk_children(w, n);
}

static void see_var(ir_walk *w, const ir_var *v)
{
    inner_search *s = (inner_search *)(void *)w;
    s->found |= map_get_id(&s->m->defined, v) != NULL;
}

static void see_buffer(ir_walk *w, const ir_buffer *b)
{
    see_var(w, b->data);
}

/* The extent in terms of what the host knows; reports where it is of the kernel's own making. */
static const ir_node *host_extent(merge *m, const ir_buffer *b)
{
    arena *mem = m->cx->mem;
    const ir_node *n = ir_int_new(mem, IR_I64, 1, b->at);
    for (size_t i = 0; i < b->shape.n; ++i) {
        const ir_node *d = ir_substitute(mem, b->shape.at[i], &m->lets);
        n = ir_mul(mem, n, ir_fold_cast(mem, IR_I64, d));
    }
    inner_search s = {.w = {.node = see_node, .use_var = see_var, .use_buffer = see_buffer}, .m = m};
    see_node(&s.w, n);
    if (s.found) {
        diag_error(m->cx->diags, b->at, "'%.*s': the size of shared.dyn memory depends on what the kernel computes: it must "
                   "be known at the launch", STR_ARG(b->name));
    }
    return n;
}

static const ir_node *bytes_of(merge *m, const ir_buffer *b)
{
    arena *mem = m->cx->mem;
    return ir_mul(mem, host_extent(m, b), ir_int_new(mem, IR_I64, ir_type_bytes(b->type), b->at));
}

static const ir_node *rounded(arena *mem, const ir_node *bytes)
{
    const ir_node *more = ir_add(mem, bytes, ir_int_like(mem, bytes, PART_ALIGN - 1));
    return ir_fold_bin(mem, IR_BITAND, more, ir_int_like(mem, bytes, -PART_ALIGN));
}

/* Where each part begins, and the allocation that holds them all. */
static void lay_out(merge *m)
{
    arena *mem = m->cx->mem;
    const ir_buffer *first = ir_as_alloc(m->allocs.at[0])->buffer;
    const ir_node *end = ir_int_new(mem, IR_I64, 0, first->at);
    for (size_t i = 0; i < m->allocs.n; ++i) {
        const ir_node *begin = i == 0 ? end : rounded(mem, end);
        map_put_id(mem, &m->offsets, m->allocs.at[i], begin);
        end = ir_add(mem, begin, bytes_of(m, ir_as_alloc(m->allocs.at[i])->buffer));
    }
    ir_type byte = IR_TYPE(IR_UINT, 8);
    ir_buffer *whole = arena_new(mem, ir_buffer);
    *whole = (ir_buffer){.name = STR("dynamic"), .type = byte, .scope = IR_SCOPE_SHARED_DYN, .at = first->at,
                         .data = ir_var_pointer(mem, STR("dynamic"), byte, IR_SCOPE_SHARED_DYN, first->at),
                         .shape = ir_list_one(mem, end)};
    m->whole = whole;
}

/* ---- The region again --------------------------------------------------------------------------- */

static const ir_node *part(merge *m, const ir_alloc *n)
{
    arena *mem = m->cx->mem;
    span at = n->node.at;
    const ir_node *args[] = {ir_ref(mem, m->whole->data, at), map_get_id(&m->offsets, &n->node)};
    const ir_node *pointer = ir_call_new(mem, IR_FN_BYTE_OFFSET, IR_POINTER, ir_list_copy(mem, args, 2), at);
    const ir_node *both[] = {ir_make(mem, BIND, bind, at, IR_VOID, .var = n->buffer->data, .value = pointer),
                             ir_make(mem, DECL, decl, at, IR_VOID, .buffer = n->buffer)};
    return ir_seq_new(mem, both, 2, at);
}

static const ir_node *visit(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_ALLOC && ir_as_alloc(n)->buffer->scope == IR_SCOPE_SHARED_DYN)
        return part((merge *)(void *)r, ir_as_alloc(n));
    return ir_rewrite_children(r, n);
}

/* The statement before all else that the threads do. */
static const ir_node *with_first(arena *mem, const ir_node *n, const ir_node *first)
{
    if (n->kind == IR_THREAD) {
        ir_thread copy = *ir_as_thread(n);
        copy.body = with_first(mem, copy.body, first);
        return arena_copy(mem, &copy, sizeof copy);
    }
    const ir_node *both[] = {first, n};
    return ir_seq_new(mem, both, 2, n->at);
}

/* One allocation whose size is in the host's terms already stays as it is. */
static bool stays(merge *m)
{
    if (m->allocs.n != 1) return false;
    const ir_buffer *b = ir_as_alloc(m->allocs.at[0])->buffer;
    host_extent(m, b);
    for (size_t i = 0; i < b->shape.n; ++i) {
        if (ir_substitute(m->cx->mem, b->shape.at[i], &m->lets) != b->shape.at[i]) return false;
    }
    return true;
}

static const ir_node *merge_region(void *user, const ir_node *region)
{
    pass_context *cx = user;
    merge m = {.r = {.mem = cx->mem, .node = visit}, .cx = cx};
    ir_each(region, note_definition, &m);
    if (m.allocs.n == 0 || stays(&m)) return region;
    lay_out(&m);
    const ir_node *whole = ir_make(cx->mem, ALLOC, alloc, m.whole->at, IR_VOID, .buffer = m.whole);
    return with_first(cx->mem, visit(&m.r, region), whole);
}

/* ---- Allocations before the threads -------------------------------------------------------------- */

typedef struct inward {
    ir_rewrite r;
    ir_node_vec allocs; /* that stand outside of all regions; each is one kernel's (lift_thread_binding) */
} inward;

static const ir_node *move_inward(ir_rewrite *r, const ir_node *n)
{
    inward *w = (inward *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_ALLOC && ir_as_alloc(n)->buffer->scope == IR_SCOPE_SHARED_DYN) {
        ir_node_vec_push(r->mem, &w->allocs, n);
        return ir_nop(r->mem);
    }
    if (n->kind != IR_THREAD) return ir_rewrite_children(r, n);
    const ir_node *region = n;
    for (size_t i = w->allocs.n; i-- > 0;) {
        const ir_node *a = w->allocs.at[i];
        if (!memory_is_touched(region, ir_as_alloc(a)->buffer->data)) continue;
        region = with_first(r->mem, region, a);
    }
    return region;
}

static const ir_node *merge_body(pass_context *cx, const ir_func *f)
{
    inward w = {.r = {.mem = cx->mem, .node = move_inward}};
    const ir_node *body = f->kind == IR_FUNC_KERNEL ? f->body : move_inward(&w.r, f->body);
    return region_each(cx->mem, body, merge_region, cx);
}

const ir_module *pass_merge_shared_dyn(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, merge_body);
}
