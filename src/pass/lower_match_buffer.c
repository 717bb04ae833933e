/* lower_match_buffer: a block's view of a region becomes index arithmetic on the buffer that it is
 * a view of.
 *
 * Why: flat code knows buffers, not parts of them.
 *
 *     with T.sblock("tile"):
 *         V = T.match_buffer(A[i * 4:i * 4 + 4, 0:8], (4, 8), strides=["s0", "s1"], elem_offset=e)
 *         V[x, y] = V[x, y] + T.float32(s0)
 *     ->
 *         A[i * 4 + x, 0 + y] = A[i * 4 + x, 0 + y] + T.float32(8)        (and e is i * 32)
 *
 * Leading dimensions of the region that the view leaves out have extent 1. Names that only the view
 * introduces (in its shape, strides, elem_offset) are bound; anything else there must equal what
 * the region says. Left alone: blocks without views. */
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/index.h"
#include "pass/pass.h"

/* What a view stands for: its index i is the source's least[skip + i] + i. */
typedef struct view {
    const ir_buffer *source;
    const ir_node **least; /* one a dimension of the source */
    size_t skip;
} view;

typedef struct matcher {
    ir_rewrite r;
    pass_context *cx;
    map views;   /* buffer -> view */
    map defined; /* variables that something else defines */
    map by;      /* variables of views -> their values */
} matcher;

/* ---- Names that are defined elsewhere -------------------------------------------------------- */

typedef struct def_walk {
    ir_walk w;
    matcher *m;
} def_walk;

static void note_def(ir_walk *w, const ir_var *v)
{
    matcher *m = ((def_walk *)(void *)w)->m;
    map_put_id(m->cx->mem, &m->defined, v, v);
}

static void note_node(ir_walk *w, const ir_node *n)
{
    ir_walk_children(w, n);
}

static void note_definitions(matcher *m, const ir_func *f)
{
    def_walk d = {.w = {.node = note_node, .use_var = note_def}, .m = m};
    for (size_t i = 0; i < f->param_count; ++i) {
        note_def(&d.w, f->params[i].var);
        /* The signature defines what its shapes mention. */
        if (f->params[i].buffer != NULL) ir_walk_buffer(&d.w, f->params[i].buffer);
    }
    d.w.use_var = NULL;
    d.w.def_var = note_def;
    note_node(&d.w, f->body);
}

/* ---- Checks and bindings --------------------------------------------------------------------- */

/* The view says `said` where the region gives `is`: a new name is bound, anything else must be
 * equal. */
static void bind(matcher *m, const ir_match *match, const char *what, const ir_node *said,
                 const ir_node *is)
{
    arena *mem = m->cx->mem;
    if (said->kind == IR_VAR && map_get_id(&m->defined, ir_as_var_ref(said)->var) == NULL &&
        map_get_id(&m->by, ir_as_var_ref(said)->var) == NULL) {
        map_put_id(mem, &m->by, ir_as_var_ref(said)->var, ir_fold_cast(mem, said->type, is));
        return;
    }
    said = ir_substitute(mem, said, &m->by);
    is = ir_fold_cast(mem, said->type, is);
    if (ir_equal(said, is) || ir_is_const(ir_sub(mem, said, is), 0)) return;
    diag_error(m->cx->diags, said->at,
               "%s of view '%.*s' is not shown to be that of the region that it matches", what,
               STR_ARG(match->buffer->name));
    diag_note(m->cx->diags, is->at, "the region is here");
}

static bool check_match(matcher *m, const ir_match *match)
{
    const ir_buffer *v = match->buffer;
    const ir_region *s = &match->source;
    if (!ir_type_eq(v->type, s->buffer->type)) {
        char vt[IR_TYPE_TEXT], st[IR_TYPE_TEXT];
        diag_error(m->cx->diags, v->at, "view '%.*s' is %s, but '%.*s' is %s", STR_ARG(v->name),
                   ir_type_print(v->type, vt), STR_ARG(s->buffer->name),
                   ir_type_print(s->buffer->type, st));
        return false;
    }
    if (v->scope != s->buffer->scope) {
        diag_error(m->cx->diags, v->at, "view '%.*s' is in scope \"%s\", but '%.*s' in \"%s\"",
                   STR_ARG(v->name), ir_scope_text(v->scope), STR_ARG(s->buffer->name),
                   ir_scope_text(s->buffer->scope));
        return false;
    }
    bool fits = v->shape.n <= s->n;
    for (size_t i = 0; fits && i < s->n - v->shape.n; ++i)
        fits = ir_is_const(s->ranges[i].extent, 1);
    if (!fits) {
        diag_error(m->cx->diags, v->at,
                   "view '%.*s' has %zu dimensions, which the region of '%.*s' does not give",
                   STR_ARG(v->name), v->shape.n, STR_ARG(s->buffer->name));
    }
    return fits;
}

/* Indices of the source for indices of the view. */
static ir_list source_index(matcher *m, const view *v, ir_list index)
{
    arena *mem = m->cx->mem;
    size_t n = v->skip + index.n;
    const ir_node **at = arena_alloc(mem, n * sizeof *at);
    for (size_t i = 0; i < n; ++i) {
        at[i] = v->least[i];
        if (i >= v->skip) at[i] = index_shift(mem, at[i], index.at[i - v->skip]);
    }
    return (ir_list){(const ir_node *const *)at, n};
}

/* The view as one of a buffer that is no view itself. */
static view *resolve(matcher *m, const ir_match *match)
{
    arena *mem = m->cx->mem;
    const ir_region *s = &match->source;
    const ir_node **least = arena_alloc(mem, s->n * sizeof *least);
    for (size_t i = 0; i < s->n; ++i) least[i] = m->r.node(&m->r, s->ranges[i].min);
    view *v = arena_new(mem, view);
    *v = (view){s->buffer, least, s->n - match->buffer->shape.n};
    const view *outer = map_get_id(&m->views, s->buffer);
    if (outer == NULL) return v;
    ir_list index = source_index(m, outer, (ir_list){(const ir_node *const *)least, s->n});
    v->least = arena_copy(mem, index.at, index.n * sizeof *index.at);
    v->source = outer->source;
    v->skip += outer->skip;
    return v;
}

static void add_view(matcher *m, const ir_match *match)
{
    arena *mem = m->cx->mem;
    const ir_buffer *b = match->buffer;
    if (!check_match(m, match)) return;
    view *v = resolve(m, match);
    map_put_id(mem, &m->views, b, v);
    map_put_id(mem, &m->by, b->data, ir_ref(mem, v->source->data, b->at));
    size_t skip = match->source.n - b->shape.n;
    for (size_t i = 0; i < b->shape.n; ++i) {
        bind(m, match, "the shape", b->shape.at[i], match->source.ranges[skip + i].extent);
    }
    ir_list least = {(const ir_node *const *)v->least, v->source->shape.n};
    ir_type type = index_type(v->source, least);
    for (size_t i = 0; i < b->strides.n; ++i) {
        bind(m, match, "a stride", b->strides.at[i],
             index_stride(mem, v->source, v->skip + i, type));
    }
    if (b->elem_offset == NULL) return;
    const ir_node *offset = ir_substitute(mem, index_flat(mem, v->source, least, b->at), &m->by);
    bind(m, match, "the elem_offset", b->elem_offset, offset);
}

/* ---- Rewriting ------------------------------------------------------------------------------- */

static ir_regions source_regions(matcher *m, ir_regions regions)
{
    arena *mem = m->cx->mem;
    ir_region *at = NULL;
    for (size_t i = 0; i < regions.n; ++i) {
        const view *v = map_get_id(&m->views, regions.at[i].buffer);
        if (v == NULL) continue;
        if (at == NULL) at = arena_copy(mem, regions.at, regions.n * sizeof *at);
        size_t n = v->skip + at[i].n;
        ir_range *ranges = arena_alloc(mem, n * sizeof *ranges);
        for (size_t j = 0; j < n; ++j) {
            ranges[j] = (ir_range){v->least[j], ir_int_like(mem, v->least[j], 1)};
            if (j < v->skip) continue;
            const ir_range *own = &regions.at[i].ranges[j - v->skip];
            ranges[j] = (ir_range){ir_add(mem, v->least[j], own->min), own->extent};
        }
        at[i] = (ir_region){v->source, ranges, n, at[i].at};
    }
    return at == NULL ? regions : (ir_regions){at, regions.n};
}

static const ir_node *block(matcher *m, const ir_node *n)
{
    for (size_t i = 0; i < ir_as_block(n)->matches.n; ++i)
        add_view(m, &ir_as_block(n)->matches.at[i]);
    ir_block copy = *ir_as_block(n);
    copy.matches = (ir_matches){0};
    copy.reads = source_regions(m, copy.reads);
    copy.writes = source_regions(m, copy.writes);
    return ir_rewrite_children(&m->r, arena_copy(m->cx->mem, &copy, sizeof copy));
}

static const ir_node *load(matcher *m, const ir_node *n)
{
    ir_load copy = *ir_as_load(n);
    const view *v = map_get_id(&m->views, copy.buffer);
    if (v == NULL) return n;
    copy.index = source_index(m, v, copy.index);
    copy.buffer = v->source;
    return arena_copy(m->cx->mem, &copy, sizeof copy);
}

static const ir_node *store(matcher *m, const ir_node *n)
{
    ir_store copy = *ir_as_store(n);
    const view *v = map_get_id(&m->views, copy.buffer);
    if (v == NULL) return n;
    copy.index = source_index(m, v, copy.index);
    copy.buffer = v->source;
    return arena_copy(m->cx->mem, &copy, sizeof copy);
}

static const ir_node *match_node(ir_rewrite *r, const ir_node *n)
{
    matcher *m = (matcher *)(void *)r;
    if (n->kind == IR_BLOCK) return block(m, n);
    n = ir_rewrite_children(r, n);
    if (n->kind == IR_LOAD) return load(m, n);
    if (n->kind == IR_STORE) return store(m, n);
    return n;
}

static void count_matches(void *user, const ir_node *n)
{
    size_t *count = user;
    if (n->kind == IR_BLOCK) *count += ir_as_block(n)->matches.n;
}

static const ir_node *lower(pass_context *cx, const ir_func *f)
{
    size_t count = 0;
    ir_each(f->body, count_matches, &count);
    if (count == 0) return f->body;
    matcher m = {.r = {.mem = cx->mem, .node = match_node}, .cx = cx};
    note_definitions(&m, f);
    const ir_node *body = match_node(&m.r, f->body);
    return cx->diags->errors != 0 ? f->body : ir_substitute(cx->mem, body, &m.by);
}

const ir_module *pass_lower_match_buffer(pass_context *cx, const ir_module *m)
{
    return pass_each_body(cx, m, lower);
}
