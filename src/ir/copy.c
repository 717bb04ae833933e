/* Copying IR, one macro a field kind. */
#include "ir/copy.h"

#include "base/map.h"

enum { RECENT = 256 };

/* Variables and buffers are identities: each has one copy. Of a node that stands in several places, the copy made
 * last is used again as long as it is remembered. */
typedef struct copier {
    arena *to, *work;
    map vars, buffers; /* original -> copy */
    struct {
        const ir_node *original, *copy;
    } recent[RECENT];
} copier;

static const ir_node *copy_node(copier *c, const ir_node *n);

static ir_list copy_list(copier *c, ir_list list)
{
    if (list.n == 0) return (ir_list){0};
    const ir_node **at = arena_alloc(c->to, list.n * sizeof *at);
    for (size_t i = 0; i < list.n; ++i) at[i] = copy_node(c, list.at[i]);
    return (ir_list){(const ir_node *const *)at, list.n};
}

static str copy_text(copier *c, str text)
{
    return text.n == 0 ? STR("") : str_copy(c->to, text);
}

static const ir_var *copy_var(copier *c, const ir_var *v)
{
    if (v == NULL) return NULL;
    const ir_var *known = map_get_id(&c->vars, v);
    if (known != NULL) return known;
    ir_var *fresh = arena_copy(c->to, v, sizeof *v);
    map_put_id(c->work, &c->vars, v, fresh);
    fresh->name = copy_text(c, v->name);
    return fresh;
}

static const ir_buffer *copy_buffer(copier *c, const ir_buffer *b)
{
    if (b == NULL) return NULL;
    const ir_buffer *known = map_get_id(&c->buffers, b);
    if (known != NULL) return known;
    ir_buffer *fresh = arena_copy(c->to, b, sizeof *b);
    map_put_id(c->work, &c->buffers, b, fresh);
    fresh->name = copy_text(c, b->name);
    fresh->data = copy_var(c, b->data);
    fresh->shape = copy_list(c, b->shape);
    fresh->strides = copy_list(c, b->strides);
    fresh->elem_offset = copy_node(c, b->elem_offset);
    return fresh;
}

static ir_vars copy_vars(copier *c, ir_vars vars)
{
    const ir_var **at = arena_alloc(c->to, vars.n * sizeof *at);
    for (size_t i = 0; i < vars.n; ++i) at[i] = copy_var(c, vars.at[i]);
    return (ir_vars){(const ir_var *const *)at, vars.n};
}

static ir_buffers copy_buffers(copier *c, ir_buffers buffers)
{
    const ir_buffer **at = arena_alloc(c->to, buffers.n * sizeof *at);
    for (size_t i = 0; i < buffers.n; ++i) at[i] = copy_buffer(c, buffers.at[i]);
    return (ir_buffers){(const ir_buffer *const *)at, buffers.n};
}

static ir_iters copy_iters(copier *c, ir_iters iters)
{
    ir_iter *at = arena_copy(c->to, iters.at, iters.n * sizeof *at);
    for (size_t i = 0; i < iters.n; ++i) {
        at[i].var = copy_var(c, at[i].var);
        at[i].min = copy_node(c, at[i].min);
        at[i].extent = copy_node(c, at[i].extent);
        at[i].binding = copy_node(c, at[i].binding);
    }
    return (ir_iters){at, iters.n};
}

static ir_region copy_region(copier *c, ir_region region)
{
    ir_range *ranges = arena_copy(c->to, region.ranges, region.n * sizeof *ranges);
    region.buffer = copy_buffer(c, region.buffer);
    for (size_t i = 0; i < region.n; ++i) {
        ranges[i] = (ir_range){copy_node(c, ranges[i].min), copy_node(c, ranges[i].extent)};
    }
    region.ranges = ranges;
    return region;
}

static ir_regions copy_regions(copier *c, ir_regions regions)
{
    ir_region *at = arena_alloc(c->to, regions.n * sizeof *at);
    for (size_t i = 0; i < regions.n; ++i) at[i] = copy_region(c, regions.at[i]);
    return (ir_regions){at, regions.n};
}

static ir_matches copy_matches(copier *c, ir_matches matches)
{
    ir_match *at = arena_alloc(c->to, matches.n * sizeof *at);
    for (size_t i = 0; i < matches.n; ++i) {
        at[i] = (ir_match){copy_buffer(c, matches.at[i].buffer), copy_region(c, matches.at[i].source)};
    }
    return (ir_matches){at, matches.n};
}

static ir_attrs copy_attrs(copier *c, ir_attrs attrs)
{
    if (attrs.n == 0) return (ir_attrs){0};
    ir_attr_entry *at = arena_alloc(c->to, attrs.n * sizeof *at);
    for (size_t i = 0; i < attrs.n; ++i) {
        at[i] = (ir_attr_entry){copy_text(c, attrs.at[i].key), copy_node(c, attrs.at[i].value)};
    }
    return (ir_attrs){at, attrs.n};
}

/* The node itself first, then what it points to. */
static const ir_node *copy_fields(copier *c, const ir_node *n)
{
    switch (n->kind) {
#define F_EXPR(f) fresh->f = copy_node(c, fresh->f);
#define F_OPT_EXPR(f) F_EXPR(f)
#define F_EXPRS(f) fresh->f = copy_list(c, fresh->f);
#define F_STMT(f) F_EXPR(f)
#define F_OPT_STMT(f) F_EXPR(f)
#define F_STMTS(f) F_EXPRS(f)
#define F_VAR(f) fresh->f = copy_var(c, fresh->f);
#define F_DEF(f) F_VAR(f)
#define F_DEFS(f) fresh->f = copy_vars(c, fresh->f);
#define F_BUF(f) fresh->f = copy_buffer(c, fresh->f);
#define F_BUFDEF(f) F_BUF(f)
#define F_BUFDEFS(f) fresh->f = copy_buffers(c, fresh->f);
#define F_ITERS(f) fresh->f = copy_iters(c, fresh->f);
#define F_REGIONS(f) fresh->f = copy_regions(c, fresh->f);
#define F_MATCHES(f) fresh->f = copy_matches(c, fresh->f);
#define F_ATTRS(f) fresh->f = copy_attrs(c, fresh->f);
#define F_PLAIN(T, f)
#define F_TEXT(f) fresh->f = copy_text(c, fresh->f);
#define IR_NODE(KIND, name, category, fields)                                                      \
    case IR_##KIND: {                                                                              \
        ir_##name *fresh = arena_copy(c->to, n, sizeof *fresh);                                    \
        fields return &fresh->node;                                                                \
    }
#include "ir/nodes.def"
#undef IR_NODE
#include "ir/fields_undef.h"
    }
    return n;
}

static const ir_node *copy_node(copier *c, const ir_node *n)
{
    if (n == NULL) return NULL;
    size_t at = (size_t)((uintptr_t)n / sizeof(ir_node)) % RECENT;
    if (c->recent[at].original == n) return c->recent[at].copy;
    const ir_node *fresh = copy_fields(c, n);
    c->recent[at].original = n;
    c->recent[at].copy = fresh;
    return fresh;
}

static const ir_func *copy_func(copier *c, const ir_func *f)
{
    ir_func *fresh = arena_copy(c->to, f, sizeof *f);
    ir_param *params = arena_alloc(c->to, f->param_count * sizeof *params);
    for (size_t i = 0; i < f->param_count; ++i) {
        params[i] = (ir_param){copy_var(c, f->params[i].var), copy_buffer(c, f->params[i].buffer)};
    }
    str *tags = arena_alloc(c->to, f->launch_tag_count * sizeof *tags);
    for (size_t i = 0; i < f->launch_tag_count; ++i) tags[i] = copy_text(c, f->launch_tags[i]);
    fresh->name = copy_text(c, f->name);
    fresh->params = params;
    fresh->attrs = copy_attrs(c, f->attrs);
    fresh->body = copy_node(c, f->body);
    fresh->launch_tags = tags;
    fresh->dyn_shared_bytes = copy_node(c, f->dyn_shared_bytes);
    return fresh;
}

const ir_func *ir_copy_func(arena *to, arena *work, const ir_func *f)
{
    copier c = {.to = to, .work = work};
    return copy_func(&c, f);
}

ir_attrs ir_copy_attrs(arena *to, arena *work, ir_attrs attrs)
{
    copier c = {.to = to, .work = work};
    return copy_attrs(&c, attrs);
}
