/* compact_buffers: threadgroup and local buffers are as large as what is touched of them.
 *
 * Why: a stage of a big matrix is written with the matrix's shape, but a threadgroup holds one tile
 * at a time.
 *
 *     S = T.alloc (512, 512), shared                       S = T.alloc (16, 16), shared
 *     for y, x in T.grid(16, 16):                          for y, x in T.grid(16, 16):
 *         S[by * 16 + y, k * 16 + x] = A[...]      ->          S[y, x] = A[...]
 *
 * A dimension shrinks where all its indices are a common part, known at the allocation, and a
 * bounded rest. A block's view of a part counts as that part, which is why views are still there. Matrices held by a simdgroup keep
 * whole tiles of 8 by 8. Left alone: rows of threadgroup memory that are up to a quarter longer than what is touched
 * (padding), global memory, buffers used through pointers or views declared otherwise, buffers with
 * strides or an offset. */
#include "ir/fold.h"
#include "pass/shapes.h"
#include "pass/touched.h"
#include "pass/users.h"

/* The smaller buffer, and what its indices are less by. */
typedef struct smaller {
    const ir_buffer *buffer;
    const ir_node **less; /* NULL: nothing */
} smaller;

typedef struct compact {
    ir_rewrite r;
    pass_context *cx;
    ir_analyzer *az;
    thread_axis_vec axes; /* of the threads of a group, around the statement at hand */
    map small;            /* buffer -> smaller */
    map names;            /* variables whose values differ between those threads -> the values */
    map unknown;          /* the same where the value is read from memory -> the variable */
} compact;

/* ---- What a buffer shrinks to ---------------------------------------------------------------- */

static bool may_shrink(const compact *c, const ir_buffer *b)
{
    bool single = true;
    for (size_t i = 0; i < b->shape.n; ++i) single = single && ir_is_const(b->shape.at[i], 1);
    if (single) return false;
    bool kept = b->scope == IR_SCOPE_LOCAL || b->scope == IR_SCOPE_SIMDGROUP || thread_scope_is_shared(b->scope);
    return kept && c->axes.n != 0 && b->strides.n == 0 && b->elem_offset == NULL;
}

/* The new extent of dimension `i`, and its start; the old extent and NULL where nothing is gained.
 */
static const ir_node *new_extent(compact *c, const ir_node *old, touched_dim d, bool pads,
                                 const ir_node **start)
{
    arena *mem = c->cx->mem;
    int64_t extent, base, n;
    *start = NULL;
    if (!d.known) return old;
    bool constant = ir_const_value(old, &n);
    if (ir_const_value(d.base, &base)) {
        /* What lies outside of the buffer is not touched in earnest. */
        if (d.least < -base) d.least = -base;
        if (constant && d.most > n - 1 - base) d.most = n - 1 - base;
    }
    if (__builtin_sub_overflow(d.most, d.least, &extent) || extent < 0 || extent >= INT32_MAX)
        return old;
    extent++;
    if (constant && extent >= n) return old;
    /* A little more than is touched pads rows against bank conflicts. */
    if (constant && pads && n - extent <= n / 4) return old;
    *start = ir_simplify(c->az, ir_add(mem, d.base, ir_int_like(mem, d.base, d.least)));
    return ir_int_like(mem, old, extent);
}

/* Rows and columns of matrices begin and end where tiles do. */
static void widen_to_tiles(touched_dim *d)
{
    enum { TILE = 8 };
    int64_t before = ((d->least % TILE) + TILE) % TILE;
    d->known = d->known && d->least > INT32_MIN && d->most < INT32_MAX;
    if (!d->known) return;
    d->least -= before;
    d->most += (TILE - (d->most - d->least + 1) % TILE) % TILE;
}

static void shrink(compact *c, const ir_buffer *b, const ir_node *rest)
{
    arena *mem = c->cx->mem;
    touched_query q = {.mem = mem, .buffer = b, .reads = true, .writes = true, .around = c->az};
    if (thread_scope_is_shared(b->scope)) {
        q.shared = &c->axes;
        q.names = &c->names;
        q.unknown = &c->unknown;
    }
    touched t = touched_by(&q, rest);
    if (!t.any || t.opaque) return;
    const ir_node **shape = arena_array(mem, const ir_node *, b->shape.n);
    const ir_node **less = arena_array(mem, const ir_node *, b->shape.n);
    bool changed = false;
    for (size_t i = 0; i < b->shape.n; ++i) {
        bool pads = i != 0 && thread_scope_is_shared(b->scope);
        if (b->scope == IR_SCOPE_SIMDGROUP && i + 2 >= b->shape.n) widen_to_tiles(&t.dims[i]);
        shape[i] = new_extent(c, b->shape.at[i], t.dims[i], pads, &less[i]);
        changed |= shape[i] != b->shape.at[i];
    }
    if (!changed) return;
    ir_buffer copy = *b;
    copy.shape = (ir_list){(const ir_node *const *)shape, b->shape.n};
    smaller *s = arena_new(mem, smaller);
    *s = (smaller){arena_copy(mem, &copy, sizeof copy), less};
    map_put_id(mem, &c->small, b, s);
}

/* ---- Rewriting ------------------------------------------------------------------------------- */

static const ir_node *minus(compact *c, const ir_node *index, const ir_node *less)
{
    arena *mem = c->cx->mem;
    if (less == NULL) return index;
    if (index->kind != IR_RAMP) return ir_simplify(c->az, ir_sub(mem, index, less));
    ir_ramp copy = *ir_as_ramp(index);
    copy.base = ir_simplify(c->az, ir_sub(mem, copy.base, less));
    return arena_copy(mem, &copy, sizeof copy);
}

static ir_list new_index(compact *c, const smaller *s, ir_list index)
{
    const ir_node **at = arena_array(c->cx->mem, const ir_node *, index.n);
    for (size_t i = 0; i < index.n; ++i) at[i] = minus(c, index.at[i], s->less[i]);
    return (ir_list){(const ir_node *const *)at, index.n};
}

/* Makes the region one of the smaller buffer. False: it is of another one. */
static bool move_region(compact *c, ir_region *region)
{
    const smaller *s = map_get_id(&c->small, region->buffer);
    if (s == NULL) return false;
    ir_range *ranges = arena_copy(c->cx->mem, region->ranges, region->n * sizeof *ranges);
    for (size_t i = 0; i < region->n; ++i) ranges[i].min = minus(c, ranges[i].min, s->less[i]);
    region->ranges = ranges;
    region->buffer = s->buffer;
    return true;
}

static ir_regions new_regions(compact *c, ir_regions regions)
{
    ir_region *at = arena_array(c->cx->mem, ir_region, regions.n);
    bool changed = false;
    for (size_t i = 0; i < regions.n; ++i) {
        at[i] = regions.at[i];
        changed |= move_region(c, &at[i]);
    }
    return changed ? (ir_regions){at, regions.n} : regions;
}

static ir_matches new_matches(compact *c, ir_matches matches)
{
    ir_match *at = arena_array(c->cx->mem, ir_match, matches.n);
    bool changed = false;
    for (size_t i = 0; i < matches.n; ++i) {
        at[i] = matches.at[i];
        changed |= move_region(c, &at[i].source);
    }
    return changed ? (ir_matches){at, matches.n} : matches;
}

static const ir_node *new_load(compact *c, const ir_node *n)
{
    ir_load copy = *ir_as_load(n);
    const smaller *s = map_get_id(&c->small, copy.buffer);
    if (s == NULL) return n;
    copy.buffer = s->buffer;
    copy.index = new_index(c, s, copy.index);
    return arena_copy(c->cx->mem, &copy, sizeof copy);
}

static const ir_node *new_store(compact *c, const ir_node *n)
{
    ir_store copy = *ir_as_store(n);
    const smaller *s = map_get_id(&c->small, copy.buffer);
    if (s == NULL) return n;
    copy.buffer = s->buffer;
    copy.index = new_index(c, s, copy.index);
    return arena_copy(c->cx->mem, &copy, sizeof copy);
}

static const ir_node *new_alloc(compact *c, const ir_node *n)
{
    ir_alloc copy = *ir_as_alloc(n);
    const smaller *s = map_get_id(&c->small, copy.buffer);
    if (s == NULL) return n;
    copy.buffer = s->buffer;
    return arena_copy(c->cx->mem, &copy, sizeof copy);
}

static const ir_node *new_block(compact *c, const ir_node *n)
{
    ir_block copy = *ir_as_block(n);
    copy.reads = new_regions(c, copy.reads);
    copy.writes = new_regions(c, copy.writes);
    copy.matches = new_matches(c, copy.matches);
    const ir_block *old = ir_as_block(n);
    bool same = copy.reads.at == old->reads.at && copy.writes.at == old->writes.at && copy.matches.at == old->matches.at;
    return same ? n : arena_copy(c->cx->mem, &copy, sizeof copy);
}

/* Of the statements after the allocation at `at`: those that use its memory, and those that give names to values,
 * which its indices may be made of. */
static const ir_node *rest_of(compact *c, const ir_node *seq, size_t at, const index_vec *users, const index_vec *binds)
{
    static const index_vec none = {0};
    if (users == NULL) users = &none;
    ir_list body = ir_as_seq(seq)->body;
    ir_node_vec rest = {0};
    size_t u = 0, b = 0;
    while (u < users->n && users->at[u] <= at) ++u;
    while (b < binds->n && binds->at[b] <= at) ++b;
    for (; u < users->n; ++u) {
        for (; b < binds->n && binds->at[b] < users->at[u]; ++b) {
            ir_node_vec_push(c->cx->mem, &rest, body.at[binds->at[b]]);
        }
        if (b < binds->n && binds->at[b] == users->at[u]) ++b;
        ir_node_vec_push(c->cx->mem, &rest, body.at[users->at[u]]);
    }
    return ir_make(c->cx->mem, SEQ, seq, seq->at, IR_VOID, .body = ir_list_of(rest));
}

typedef struct own_search {
    const compact *c;
    bool found;
} own_search;

static void find_own(void *user, const ir_node *n)
{
    own_search *s = user;
    if (n->kind != IR_VAR) return;
    const ir_var *v = ir_as_var_ref(n)->var;
    for (size_t i = 0; i < s->c->axes.n; ++i) s->found |= v == s->c->axes.at[i].var;
    s->found |= map_get_id(&s->c->unknown, v) != NULL;
}

/* Names of names may double with each. */
enum { NAME_NODES = 400, NAME_DEPTH = 50 };

/* A name of a thread's own stands for another value in each of them: memory that they share is not counted from there. */
static void know_name(compact *c, const ir_bind *b)
{
    if (c->axes.n == 0 || ir_type_is_pointer(b->var->type)) return;
    const ir_node *value = ir_substitute(c->cx->mem, b->value, &c->names);
    own_search own = {c, false};
    bool plain = ir_is_moderate(value, NAME_NODES, NAME_DEPTH) && !ir_reads_memory(value);
    if (plain) ir_each(value, find_own, &own);
    if (!plain) map_put_id(c->cx->mem, &c->unknown, b->var, b->var);
    else if (own.found) map_put_id(c->cx->mem, &c->names, b->var, value);
}

/* Allocations hold for the rest of their sequence. */
static void shrink_all(compact *c, const ir_node *seq)
{
    arena *mem = c->cx->mem;
    ir_list body = ir_as_seq(seq)->body;
    index_vec allocs = {0}, binds = {0};
    for (size_t i = 0; i < body.n; ++i) {
        if (body.at[i]->kind == IR_BIND) index_vec_push(mem, &binds, i);
        if (body.at[i]->kind != IR_ALLOC || !may_shrink(c, ir_as_alloc(body.at[i])->buffer)) continue;
        index_vec_push(mem, &allocs, i);
    }
    seq_users users = {0};
    if (allocs.n != 0) users = seq_users_of(mem, body);
    size_t named = 0;
    for (size_t i = 0; i < allocs.n; ++i) {
        for (; named < binds.n && binds.at[named] < allocs.at[i]; ++named) know_name(c, ir_as_bind(body.at[binds.at[named]]));
        const ir_buffer *b = ir_as_alloc(body.at[allocs.at[i]])->buffer;
        shrink(c, b, rest_of(c, seq, allocs.at[i], seq_users_find(&users, b->data), &binds));
    }
    for (; named < binds.n; ++named) know_name(c, ir_as_bind(body.at[binds.at[named]]));
}

static void know_range(compact *c, const ir_node *n)
{
    thread_axis axis;
    if (n->kind == IR_FOR) {
        ir_analyzer_bind(c->az, ir_as_for(n)->var, ir_as_for(n)->min, ir_as_for(n)->extent);
    } else if (ir_is_stmt(n) && thread_axis_of(n, &axis)) {
        thread_axis_know(c->az, c->cx->mem, &axis);
    }
}

static const ir_node *compact_node(ir_rewrite *r, const ir_node *n)
{
    compact *c = (compact *)(void *)r;
    thread_axis axis = {0};
    bool inside = ir_is_stmt(n) && thread_axis_in_group(n, &axis);
    ir_analyzer_mark mark = ir_analyzer_save(c->az);
    if (inside) thread_axis_vec_push(r->mem, &c->axes, axis);
    know_range(c, n);
    if (n->kind == IR_SEQ) shrink_all(c, n);
    n = ir_rewrite_children(r, n);
    ir_analyzer_restore(c->az, mark);
    if (inside) c->axes.n--;
    if (n->kind == IR_LOAD) return new_load(c, n);
    if (n->kind == IR_STORE) return new_store(c, n);
    if (n->kind == IR_ALLOC) return new_alloc(c, n);
    return n->kind == IR_BLOCK ? new_block(c, n) : n;
}

static const ir_node *compact_func(pass_context *cx, const ir_func *f)
{
    compact c = {
        .r = {.mem = cx->mem, .node = compact_node}, .cx = cx, .az = ir_analyzer_new(cx->mem)};
    know_shapes(c.az, f);
    return compact_node(&c.r, f->body);
}

const ir_module *pass_compact_buffers(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, compact_func);
}
