/* Finding, taking apart and putting together the kernel regions of a body. */
#include "pass/region.h"

typedef struct axis_walk {
    arena *mem;
    region_axes axes;
} axis_walk;

static void note_axis(void *user, const ir_node *n)
{
    axis_walk *a = user;
    if (n->kind != IR_THREAD) return;
    const ir_thread *t = ir_as_thread(n);
    for (size_t i = 0; i < a->axes.n; ++i) {
        if (str_eq(a->axes.at[i].tag, t->tag)) return;
    }
    region_axes_push(a->mem, &a->axes, (region_axis){t->tag, t->var, t->extent, n->at});
}

region_axes region_axes_of(arena *mem, const ir_node *root)
{
    axis_walk a = {.mem = mem};
    ir_each(root, note_axis, &a);
    return a.axes;
}

bool region_axis_is_local(const region_axis *axis)
{
    return str_starts(axis->tag, STR("threadIdx."));
}

const region_axis *region_axis_of(const region_axes *axes, const ir_var *v)
{
    for (size_t i = 0; i < axes->n; ++i) {
        if (axes->at[i].var == v) return &axes->at[i];
    }
    return NULL;
}

const region_axis *region_axis_tagged(const region_axes *axes, const char *tag)
{
    for (size_t i = 0; i < axes->n; ++i) {
        if (str_is(axes->at[i].tag, tag)) return &axes->at[i];
    }
    return NULL;
}

void region_axes_know(ir_analyzer *az, arena *mem, const region_axes *axes)
{
    for (size_t i = 0; i < axes->n; ++i) {
        const region_axis *a = &axes->at[i];
        ir_analyzer_bind(az, a->var, ir_int_new(mem, a->var->type, 0, a->at), a->extent);
    }
}

int64_t region_axis_extent(const region_axis *axis)
{
    int64_t n;
    return ir_const_value(axis->extent, &n) && n > 0 ? n : 0;
}

typedef struct strip_rewrite {
    ir_rewrite r;
    const region_axes *axes;
    map by;
} strip_rewrite;

static const ir_node *strip_node(ir_rewrite *r, const ir_node *n)
{
    if (!ir_is_stmt(n)) return n;
    if (n->kind != IR_THREAD) return ir_rewrite_children(r, n);
    strip_rewrite *s = (strip_rewrite *)(void *)r;
    const ir_thread *t = ir_as_thread(n);
    for (size_t i = 0; i < s->axes->n; ++i) {
        const region_axis *axis = &s->axes->at[i];
        if (!str_eq(axis->tag, t->tag) || axis->var == t->var) continue;
        const ir_node *first = ir_ref(r->mem, axis->var, t->var->at);
        map_put_id(r->mem, &s->by, t->var, ir_cast_new(r->mem, t->var->type, first));
    }
    return strip_node(r, t->body);
}

const ir_node *region_strip(arena *mem, const ir_node *root, const region_axes *axes)
{
    strip_rewrite s = {.r = {.mem = mem, .node = strip_node}, .axes = axes};
    const ir_node *body = strip_node(&s.r, root);
    return ir_substitute(mem, body, &s.by);
}

const ir_node *region_wrap(arena *mem, const ir_node *body, const region_axes *axes)
{
    for (size_t i = axes->n; i-- > 0;) {
        const region_axis *a = &axes->at[i];
        body = ir_make(mem, THREAD, thread, a->at, IR_VOID, .var = a->var, .tag = a->tag,
                       .extent = a->extent, .body = body);
    }
    return body;
}

typedef struct region_rewrite {
    ir_rewrite r;
    region_fn fn;
    void *user;
} region_rewrite;

static const ir_node *region_node(ir_rewrite *r, const ir_node *n)
{
    region_rewrite *s = (region_rewrite *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    return n->kind == IR_THREAD ? s->fn(s->user, n) : ir_rewrite_children(r, n);
}

const ir_node *region_each(arena *mem, const ir_node *body, region_fn fn, void *user)
{
    region_rewrite s = {.r = {.mem = mem, .node = region_node}, .fn = fn, .user = user};
    return region_node(&s.r, body);
}
