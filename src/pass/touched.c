/* Regions of accesses: each index is split into what is known outside and a constant interval. */
#include "pass/touched.h"

#include "ir/fold.h"

typedef struct scan {
    ir_walk w;
    const touched_query *q;
    ir_analyzer *az;
    map inner; /* variables defined in the statement, and shared axes */
    map by;    /* iteration variables and names -> their values */
    touched out;
} scan;

/* ---- One index ------------------------------------------------------------------------------- */

typedef struct inner_search {
    ir_walk w;
    const scan *s;
    bool found;
} inner_search;

static void inner_node(ir_walk *w, const ir_node *n)
{
    inner_search *i = (inner_search *)(void *)w;
    i->found |= n->kind == IR_LOAD ||
                (n->kind == IR_CALL && ir_builtins[ir_as_call(n)->fn].effect != IR_EFFECT_PURE);
    if (!i->found) ir_walk_children(w, n);
}

static void inner_var(ir_walk *w, const ir_var *v)
{
    inner_search *i = (inner_search *)(void *)w;
    i->found |= map_get_id(&i->s->inner, v) != NULL;
}

/* May the value differ between places of the statement? */
static bool varies(const scan *s, const ir_node *e)
{
    inner_search i = {.w = {.node = inner_node, .use_var = inner_var}, .s = s};
    inner_node(&i.w, e);
    return i.found;
}

/* Adds the terms of a sum that stay the same to *base, the others to *rest. */
static void split(scan *s, const ir_node *e, bool minus, const ir_node **base, const ir_node **rest)
{
    arena *mem = s->q->mem;
    bool sum = e->kind == IR_BIN && (ir_as_bin(e)->op == IR_ADD || ir_as_bin(e)->op == IR_SUB);
    if (sum && varies(s, e)) {
        split(s, ir_as_bin(e)->a, minus, base, rest);
        split(s, ir_as_bin(e)->b, minus != (ir_as_bin(e)->op == IR_SUB), base, rest);
        return;
    }
    const ir_node **to = varies(s, e) ? rest : base;
    *to = minus ? ir_sub(mem, *to, e) : ir_add(mem, *to, e);
}

/* The indices that `e` runs through. */
static touched_dim index_range(scan *s, const ir_node *e)
{
    touched_dim d = {.known = true};
    int64_t below = 0, above = 0;
    if (e->kind == IR_RAMP) {
        int64_t stride, reach;
        const ir_ramp *ramp = ir_as_ramp(e);
        if (!ir_const_value(ramp->stride, &stride) ||
            __builtin_mul_overflow(stride, e->type.lanes - 1, &reach)) {
            return (touched_dim){0};
        }
        below = reach < 0 ? reach : 0;
        above = reach > 0 ? reach : 0;
        e = ramp->base;
    }
    if (e->type.lanes != 1 || e->type.code != IR_INT) return (touched_dim){0};
    e = ir_simplify(s->az, ir_substitute(s->q->mem, e, &s->by));
    const ir_node *rest = ir_int_like(s->q->mem, e, 0);
    d.base = rest;
    split(s, e, false, &d.base, &rest);
    d.base = ir_simplify(s->az, d.base);
    ir_interval range = ir_bound(s->az, rest);
    if (range.min == IR_NEG_INF || range.max == IR_POS_INF) return (touched_dim){0};
    if (__builtin_add_overflow(range.min, below, &d.least) ||
        __builtin_add_overflow(range.max, above, &d.most)) {
        return (touched_dim){0};
    }
    return d;
}

/* ---- All accesses ---------------------------------------------------------------------------- */

/* Both ranges in one; not known where their bases cannot be compared. */
static touched_dim joined(scan *s, touched_dim a, touched_dim b)
{
    int64_t apart;
    if (!a.known || !b.known) return (touched_dim){0};
    const ir_node *difference = ir_simplify(s->az, ir_sub(s->q->mem, b.base, a.base));
    if (!ir_const_value(difference, &apart)) return (touched_dim){0};
    if (__builtin_add_overflow(b.least, apart, &b.least) ||
        __builtin_add_overflow(b.most, apart, &b.most)) {
        return (touched_dim){0};
    }
    if (b.least < a.least) a.least = b.least;
    if (b.most > a.most) a.most = b.most;
    return a;
}

static void note_access(scan *s, ir_list index)
{
    for (size_t i = 0; i < index.n && i < s->out.n; ++i) {
        touched_dim d = index_range(s, index.at[i]);
        s->out.dims[i] = s->out.any ? joined(s, s->out.dims[i], d) : d;
    }
    s->out.any = true;
}

static void note_pointer(ir_walk *w, const ir_var *v)
{
    scan *s = (scan *)(void *)w;
    s->out.opaque |= v == s->q->buffer->data;
}

/* A view of the memory, or an access through one. */
static void note_view(ir_walk *w, const ir_buffer *b)
{
    scan *s = (scan *)(void *)w;
    s->out.opaque |= b != s->q->buffer && b->data == s->q->buffer->data;
}

static void scan_node(ir_walk *w, const ir_node *n);

/* A loop or axis: its variable runs through its extent. */
static void scan_loop(scan *s, const ir_var *v, const ir_node *extent)
{
    map_put_id(s->q->mem, &s->inner, v, v);
    ir_analyzer_bind(s->az, v, ir_int_like(s->q->mem, extent, 0), extent);
}

static bool has_memory(ir_regions regions, const ir_var *data)
{
    for (size_t i = 0; i < regions.n; ++i) {
        if (regions.at[i].buffer->data == data) return true;
    }
    return false;
}

bool block_reads(const ir_block *b, const ir_var *data)
{
    return has_memory(b->reads, data);
}

bool block_writes(const ir_block *b, const ir_var *data)
{
    return has_memory(b->writes, data);
}

bool block_views(const ir_block *b, const ir_var *data)
{
    for (size_t i = 0; i < b->matches.n; ++i) {
        if (b->matches.at[i].source.buffer->data == data) return true;
    }
    return false;
}

/* A view of a part of the buffer: what the block does with it, it does with all of that part. */
static void scan_match(scan *s, const ir_block *b, const ir_region *source)
{
    const touched_query *q = s->q;
    if (source->buffer->data != q->buffer->data) return;
    bool reads = block_reads(b, source->buffer->data), writes = block_writes(b, source->buffer->data);
    s->out.opaque |= source->buffer != q->buffer || (!reads && !writes);
    if (s->out.opaque || !((reads && q->reads) || (writes && q->writes))) return;
    for (size_t i = 0; i < source->n && i < s->out.n; ++i) {
        int64_t extent;
        touched_dim d = index_range(s, source->ranges[i].min);
        bool told = ir_const_value(source->ranges[i].extent, &extent) && extent > 0 &&
                    !__builtin_add_overflow(d.most, extent - 1, &d.most);
        if (!told) d.known = false;
        s->out.dims[i] = s->out.any ? joined(s, s->out.dims[i], d) : d;
    }
    s->out.any = true;
}

static void scan_block(scan *s, const ir_block *b)
{
    arena *mem = s->q->mem;
    for (size_t i = 0; i < b->iters.n; ++i) {
        const ir_iter *it = &b->iters.at[i];
        map_put_id(mem, &s->by, it->var,
                   ir_fold_cast(mem, it->var->type, ir_substitute(mem, it->binding, &s->by)));
    }
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    if (!ir_is_const(b->predicate, 1))
        ir_analyzer_assume(s->az, ir_substitute(mem, b->predicate, &s->by));
    if (b->init != NULL) scan_node(&s->w, b->init);
    for (size_t i = 0; i < b->matches.n; ++i) scan_match(s, b, &b->matches.at[i].source);
    scan_node(&s->w, b->body);
    ir_analyzer_restore(s->az, mark);
}

static void scan_if(scan *s, const ir_if *n)
{
    scan_node(&s->w, n->cond);
    ir_analyzer_mark mark = ir_analyzer_save(s->az);
    if (!ir_reads_memory(n->cond))
        ir_analyzer_assume(s->az, ir_substitute(s->q->mem, n->cond, &s->by));
    scan_node(&s->w, n->yes);
    ir_analyzer_restore(s->az, mark);
    if (n->no != NULL) scan_node(&s->w, n->no);
}

static void scan_bind(scan *s, const ir_bind *b)
{
    const ir_node *value = ir_substitute(s->q->mem, b->value, &s->by);
    if (ir_reads_memory(value)) {
        map_put_id(s->q->mem, &s->inner, b->var, b->var);
    } else {
        map_put_id(s->q->mem, &s->by, b->var, value);
    }
}

static void scan_node(ir_walk *w, const ir_node *n)
{
    scan *s = (scan *)(void *)w;
    thread_axis axis;
    if (n->kind == IR_BLOCK) {
        scan_block(s, ir_as_block(n));
        return;
    }
    if (n->kind == IR_IF) {
        scan_if(s, ir_as_if(n));
        return;
    }
    if (n->kind == IR_FOR) scan_loop(s, ir_as_for(n)->var, ir_as_for(n)->extent);
    if (n->kind != IR_FOR && thread_axis_of(n, &axis)) scan_loop(s, axis.var, axis.extent);
    if (n->kind == IR_BIND) scan_bind(s, ir_as_bind(n));
    if (n->kind == IR_LET) map_put_id(s->q->mem, &s->inner, ir_as_let(n)->var, n);
    if (n->kind == IR_LOAD && ir_as_load(n)->buffer == s->q->buffer && s->q->reads)
        note_access(s, ir_as_load(n)->index);
    if (n->kind == IR_STORE && ir_as_store(n)->buffer == s->q->buffer && s->q->writes) {
        note_access(s, ir_as_store(n)->index);
    }
    /* The address of an element leads to others. */
    bool address = n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ADDRESS_OF;
    if (address) s->out.opaque |= memory_is_touched(n, s->q->buffer->data);
    ir_walk_children(w, n);
}

touched touched_by(const touched_query *q, const ir_node *root)
{
    scan s = {.w = {.node = scan_node,
                    .use_var = note_pointer,
                    .use_buffer = note_view,
                    .def_buffer = note_view},
              .q = q,
              .az = q->around != NULL ? q->around : ir_analyzer_new(q->mem)};
    ir_analyzer_mark mark = ir_analyzer_save(s.az);
    s.out.n = q->buffer->shape.n;
    s.out.dims = arena_array(q->mem, touched_dim, s.out.n);
    for (size_t i = 0; q->shared != NULL && i < q->shared->n; ++i) {
        scan_loop(&s, q->shared->at[i].var, q->shared->at[i].extent);
    }
    for (size_t i = 0; q->names != NULL && i < q->names->n; ++i) {
        map_put_id(q->mem, &s.by, q->names->entries[i].id, q->names->entries[i].value);
    }
    for (size_t i = 0; q->unknown != NULL && i < q->unknown->n; ++i) {
        map_put_id(q->mem, &s.inner, q->unknown->entries[i].id, q->unknown->entries[i].value);
    }
    scan_node(&s.w, root);
    ir_analyzer_restore(s.az, mark);
    return s.out;
}

bool touched_covers(ir_analyzer *az, arena *mem, const touched *outer, const touched *inner)
{
    if (outer->opaque || inner->opaque || !outer->any) return false;
    for (size_t i = 0; inner->any && i < inner->n; ++i) {
        touched_dim a = outer->dims[i], b = inner->dims[i];
        int64_t apart;
        if (!a.known || !b.known) return false;
        if (!ir_const_value(ir_simplify(az, ir_sub(mem, b.base, a.base)), &apart)) return false;
        if (__builtin_add_overflow(b.least, apart, &b.least) ||
            __builtin_add_overflow(b.most, apart, &b.most))
            return false;
        if (b.least < a.least || b.most > a.most) return false;
    }
    return true;
}
