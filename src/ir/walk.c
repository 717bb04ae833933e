/* Walking and rewriting IR, one macro a field kind. */
#include "ir/walk.h"

/* ---- Visiting -------------------------------------------------------------------------------- */

static void walk_node(ir_walk *w, const ir_node *n)
{
    if (n != NULL && w->node != NULL) w->node(w, n);
}

static void walk_list(ir_walk *w, ir_list list)
{
    for (size_t i = 0; i < list.n; ++i) walk_node(w, list.at[i]);
}

void ir_walk_buffer(ir_walk *w, const ir_buffer *b)
{
    walk_list(w, b->shape);
    walk_list(w, b->strides);
    walk_node(w, b->elem_offset);
}

static void walk_use_var(ir_walk *w, const ir_var *v)
{
    if (w->use_var != NULL) w->use_var(w, v);
}

static void walk_def_var(ir_walk *w, const ir_var *v)
{
    if (w->def_var != NULL) w->def_var(w, v);
}

static void walk_use_buffer(ir_walk *w, const ir_buffer *b)
{
    if (w->use_buffer != NULL) w->use_buffer(w, b);
}

static void walk_def_buffer(ir_walk *w, const ir_buffer *b)
{
    ir_walk_buffer(w, b);
    if (w->def_buffer != NULL) w->def_buffer(w, b);
}

static void walk_vars(ir_walk *w, ir_vars vars)
{
    for (size_t i = 0; i < vars.n; ++i) walk_def_var(w, vars.at[i]);
}

static void walk_buffers(ir_walk *w, ir_buffers buffers)
{
    for (size_t i = 0; i < buffers.n; ++i) walk_def_buffer(w, buffers.at[i]);
}

static void walk_iters(ir_walk *w, ir_iters iters)
{
    for (size_t i = 0; i < iters.n; ++i) {
        walk_node(w, iters.at[i].min);
        walk_node(w, iters.at[i].extent);
        walk_node(w, iters.at[i].binding);
    }
    for (size_t i = 0; i < iters.n; ++i) walk_def_var(w, iters.at[i].var);
}

static void walk_region(ir_walk *w, const ir_region *region)
{
    walk_use_buffer(w, region->buffer);
    for (size_t i = 0; i < region->n; ++i) {
        walk_node(w, region->ranges[i].min);
        walk_node(w, region->ranges[i].extent);
    }
}

static void walk_regions(ir_walk *w, ir_regions regions)
{
    for (size_t i = 0; i < regions.n; ++i) walk_region(w, &regions.at[i]);
}

static void walk_matches(ir_walk *w, ir_matches matches)
{
    for (size_t i = 0; i < matches.n; ++i) {
        walk_region(w, &matches.at[i].source);
        walk_def_buffer(w, matches.at[i].buffer);
    }
}

static void walk_attrs(ir_walk *w, ir_attrs attrs)
{
    for (size_t i = 0; i < attrs.n; ++i) walk_node(w, attrs.at[i].value);
}

void ir_walk_children(ir_walk *w, const ir_node *n)
{
    switch (n->kind) {
#define F_EXPR(f) walk_node(w, self->f);
#define F_OPT_EXPR(f) walk_node(w, self->f);
#define F_EXPRS(f) walk_list(w, self->f);
#define F_STMT(f) walk_node(w, self->f);
#define F_OPT_STMT(f) walk_node(w, self->f);
#define F_STMTS(f) walk_list(w, self->f);
#define F_VAR(f) walk_use_var(w, self->f);
#define F_DEF(f) walk_def_var(w, self->f);
#define F_DEFS(f) walk_vars(w, self->f);
#define F_BUF(f) walk_use_buffer(w, self->f);
#define F_BUFDEF(f) walk_def_buffer(w, self->f);
#define F_BUFDEFS(f) walk_buffers(w, self->f);
#define F_ITERS(f) walk_iters(w, self->f);
#define F_REGIONS(f) walk_regions(w, self->f);
#define F_MATCHES(f) walk_matches(w, self->f);
#define F_ATTRS(f) walk_attrs(w, self->f);
#define F_PLAIN(T, f)
#define F_TEXT(f)
#define IR_NODE(KIND, name, category, fields)                                                      \
    case IR_##KIND: {                                                                              \
        const ir_##name *self = ir_as_##name(n);                                                   \
        (void)self;                                                                                \
        fields                                                                                     \
    } break;
#include "ir/nodes.def"
#undef IR_NODE
#include "ir/fields_undef.h"
    }
}

typedef struct each_walk {
    ir_walk w;
    void (*visit)(void *user, const ir_node *n);
    void *user;
} each_walk;

static void each_node(ir_walk *w, const ir_node *n)
{
    each_walk *e = (each_walk *)(void *)w;
    e->visit(e->user, n);
    ir_walk_children(w, n);
}

void ir_each(const ir_node *root, void (*visit)(void *user, const ir_node *n), void *user)
{
    each_walk e = {.w = {.node = each_node}, .visit = visit, .user = user};
    each_node(&e.w, root);
}

/* ---- Rewriting -------------------------------------------------------------------------------- */

static const ir_node *new_node(ir_rewrite *r, const ir_node *n)
{
    return n == NULL || r->node == NULL ? n : r->node(r, n);
}

ir_list ir_rewrite_list(ir_rewrite *r, ir_list list)
{
    const ir_node **at = NULL;
    for (size_t i = 0; i < list.n; ++i) {
        const ir_node *item = new_node(r, list.at[i]);
        if (item == list.at[i]) continue;
        if (at == NULL) {
            at = arena_alloc(r->mem, list.n * sizeof *at);
            for (size_t j = 0; j < list.n; ++j) at[j] = list.at[j];
        }
        at[i] = item;
    }
    return at == NULL ? list : (ir_list){(const ir_node *const *)at, list.n};
}

/* Statements of a sequence: flattened where one became a sequence. */
static ir_list new_stmts(ir_rewrite *r, ir_list list)
{
    ir_list fresh = ir_rewrite_list(r, list);
    if (fresh.at == list.at) return list;
    ir_node_vec flat = {0};
    for (size_t i = 0; i < fresh.n; ++i) {
        if (fresh.at[i]->kind != IR_SEQ) {
            ir_node_vec_push(r->mem, &flat, fresh.at[i]);
            continue;
        }
        ir_list inner = ir_as_seq(fresh.at[i])->body;
        for (size_t j = 0; j < inner.n; ++j) ir_node_vec_push(r->mem, &flat, inner.at[j]);
    }
    return ir_list_of(flat);
}

static const ir_var *new_var(ir_rewrite *r, const ir_var *v)
{
    return r->var != NULL ? r->var(r, v) : v;
}

static const ir_buffer *new_buffer(ir_rewrite *r, const ir_buffer *b)
{
    return r->buffer != NULL ? r->buffer(r, b) : b;
}

static ir_vars new_vars(ir_rewrite *r, ir_vars vars)
{
    if (r->var == NULL || vars.n == 0) return vars;
    const ir_var **at = arena_alloc(r->mem, vars.n * sizeof *at);
    bool changed = false;
    for (size_t i = 0; i < vars.n; ++i) {
        at[i] = new_var(r, vars.at[i]);
        changed |= at[i] != vars.at[i];
    }
    return changed ? (ir_vars){(const ir_var *const *)at, vars.n} : vars;
}

static ir_buffers new_buffers(ir_rewrite *r, ir_buffers buffers)
{
    if (r->buffer == NULL || buffers.n == 0) return buffers;
    const ir_buffer **at = arena_alloc(r->mem, buffers.n * sizeof *at);
    bool changed = false;
    for (size_t i = 0; i < buffers.n; ++i) {
        at[i] = new_buffer(r, buffers.at[i]);
        changed |= at[i] != buffers.at[i];
    }
    return changed ? (ir_buffers){(const ir_buffer *const *)at, buffers.n} : buffers;
}

static ir_iters new_iters(ir_rewrite *r, ir_iters iters)
{
    if (iters.n == 0) return iters;
    ir_iter *at = arena_alloc(r->mem, iters.n * sizeof *at);
    bool changed = false;
    for (size_t i = 0; i < iters.n; ++i) {
        const ir_iter *old = &iters.at[i];
        at[i] = *old;
        at[i].min = new_node(r, old->min);
        at[i].extent = new_node(r, old->extent);
        at[i].binding = new_node(r, old->binding);
        at[i].var = new_var(r, old->var);
        changed |= at[i].min != old->min || at[i].extent != old->extent ||
                   at[i].binding != old->binding || at[i].var != old->var;
    }
    return changed ? (ir_iters){at, iters.n} : iters;
}

static bool new_region(ir_rewrite *r, ir_region *region)
{
    ir_range *ranges = arena_alloc(r->mem, region->n * sizeof *ranges);
    const ir_buffer *b = new_buffer(r, region->buffer);
    bool changed = b != region->buffer;
    for (size_t i = 0; i < region->n; ++i) {
        ranges[i] = (ir_range){new_node(r, region->ranges[i].min), new_node(r, region->ranges[i].extent)};
        changed |= ranges[i].min != region->ranges[i].min || ranges[i].extent != region->ranges[i].extent;
    }
    region->buffer = b;
    region->ranges = ranges;
    return changed;
}

static ir_regions new_regions(ir_rewrite *r, ir_regions regions)
{
    if (regions.n == 0) return regions;
    ir_region *at = arena_copy(r->mem, regions.at, regions.n * sizeof *at);
    bool changed = false;
    for (size_t i = 0; i < regions.n; ++i) changed |= new_region(r, &at[i]);
    return changed ? (ir_regions){at, regions.n} : regions;
}

static ir_matches new_matches(ir_rewrite *r, ir_matches matches)
{
    if (matches.n == 0) return matches;
    ir_match *at = arena_copy(r->mem, matches.at, matches.n * sizeof *at);
    bool changed = false;
    for (size_t i = 0; i < matches.n; ++i) {
        changed |= new_region(r, &at[i].source);
        at[i].buffer = new_buffer(r, matches.at[i].buffer);
        changed |= at[i].buffer != matches.at[i].buffer;
    }
    return changed ? (ir_matches){at, matches.n} : matches;
}

static ir_attrs new_attrs(ir_rewrite *r, ir_attrs attrs)
{
    if (attrs.n == 0) return attrs;
    ir_attr_entry *at = arena_copy(r->mem, attrs.at, attrs.n * sizeof *at);
    bool changed = false;
    for (size_t i = 0; i < attrs.n; ++i) {
        at[i].value = new_node(r, attrs.at[i].value);
        changed |= at[i].value != attrs.at[i].value;
    }
    return changed ? (ir_attrs){at, attrs.n} : attrs;
}

const ir_node *ir_rewrite_children(ir_rewrite *r, const ir_node *n)
{
    switch (n->kind) {
#define REPLACE(f, fresh, same)                                                                    \
    copy.f = (fresh);                                                                              \
    changed |= !(same);
#define F_EXPR(f) REPLACE(f, new_node(r, self->f), copy.f == self->f)
#define F_OPT_EXPR(f) F_EXPR(f)
#define F_EXPRS(f) REPLACE(f, ir_rewrite_list(r, self->f), copy.f.at == self->f.at)
#define F_STMT(f) F_EXPR(f)
#define F_OPT_STMT(f) F_EXPR(f)
#define F_STMTS(f) REPLACE(f, new_stmts(r, self->f), copy.f.at == self->f.at)
#define F_VAR(f) REPLACE(f, new_var(r, self->f), copy.f == self->f)
#define F_DEF(f) F_VAR(f)
#define F_DEFS(f) REPLACE(f, new_vars(r, self->f), copy.f.at == self->f.at)
#define F_BUF(f) REPLACE(f, new_buffer(r, self->f), copy.f == self->f)
#define F_BUFDEF(f) F_BUF(f)
#define F_BUFDEFS(f) REPLACE(f, new_buffers(r, self->f), copy.f.at == self->f.at)
#define F_ITERS(f) REPLACE(f, new_iters(r, self->f), copy.f.at == self->f.at)
#define F_REGIONS(f) REPLACE(f, new_regions(r, self->f), copy.f.at == self->f.at)
#define F_MATCHES(f) REPLACE(f, new_matches(r, self->f), copy.f.at == self->f.at)
#define F_ATTRS(f) REPLACE(f, new_attrs(r, self->f), copy.f.at == self->f.at)
#define F_PLAIN(T, f)
#define F_TEXT(f)
#define IR_NODE(KIND, name, category, fields)                                                      \
    case IR_##KIND: {                                                                              \
        const ir_##name *self = ir_as_##name(n);                                                   \
        ir_##name copy = *self;                                                                    \
        bool changed = false;                                                                      \
        fields return changed ? arena_copy(r->mem, &copy, sizeof copy) : n;                        \
    }
#include "ir/nodes.def"
#undef IR_NODE
#undef REPLACE
#include "ir/fields_undef.h"
    }
    return n;
}
