/* Decides how each variable that is free in a kernel region gets into the kernel. */
#include "pass/kernel_params.h"

#include <limits.h>

/* ---- The host part ---------------------------------------------------------------------------- */

typedef struct scan_walk {
    ir_walk w;
    arena *mem;
    host_scan *h;
} scan_walk;

static void scan_use(ir_walk *w, const ir_var *v)
{
    scan_walk *s = (scan_walk *)(void *)w;
    if (ir_type_is_pointer(v->type)) map_put_id(s->mem, &s->h->used, v, v);
}

static void scan_buffer(ir_walk *w, const ir_buffer *b)
{
    scan_use(w, b->data);
}

static void scan_region(scan_walk *s, const ir_node *region)
{
    free_vars used = free_vars_of(s->mem, region);
    for (size_t i = 0; i < used.vars.n; ++i) {
        const ir_var *v = used.vars.at[i];
        const void *known = map_get_id(&s->h->regions, v);
        map_put_id(s->mem, &s->h->regions, v, known == NULL ? (const void *)region : (const void *)s->h);
    }
}

static void scan_node(ir_walk *w, const ir_node *n)
{
    scan_walk *s = (scan_walk *)(void *)w;
    if (n->kind == IR_THREAD) {
        scan_region(s, n);
        return;
    }
    if (n->kind == IR_ALLOC) {
        const ir_buffer *b = ir_as_alloc(n)->buffer;
        map_put_id(s->mem, &s->h->allocs, b->data, n);
        map_put_id(s->mem, &s->h->names, b->data, b);
    }
    if (n->kind == IR_FOR && ir_is_const(ir_as_for(n)->min, 0)) {
        map_put_id(s->mem, &s->h->naturals, ir_as_for(n)->var, n);
    }
    if (n->kind == IR_BIND && ir_type_is_pointer(ir_as_bind(n)->var->type)) {
        map_put_id(s->mem, &s->h->binds, ir_as_bind(n)->var, n);
    }
    ir_walk_children(w, n);
}

host_scan host_scan_of(arena *mem, const ir_func *f)
{
    host_scan h = {0};
    for (size_t i = 0; i < f->param_count; ++i) {
        const ir_buffer *b = f->params[i].buffer;
        if (b != NULL) map_put_id(mem, &h.names, b->data, b);
        for (size_t k = 0; b != NULL && k < b->shape.n; ++k) {
            const ir_node *n = b->shape.at[k];
            if (n->kind == IR_VAR) map_put_id(mem, &h.naturals, ir_as_var_ref(n)->var, n);
        }
    }
    scan_walk s = {.w = {.node = scan_node, .use_var = scan_use, .use_buffer = scan_buffer},
                   .mem = mem, .h = &h};
    scan_node(&s.w, f->body);
    return h;
}

bool host_memory_moves(const host_scan *h, const ir_alloc *alloc)
{
    const ir_buffer *b = alloc->buffer;
    const void *region = map_get_id(&h->regions, b->data);
    return b->scope != IR_SCOPE_GLOBAL && region != NULL && region != h &&
           map_get_id(&h->used, b->data) == NULL;
}

/* ---- One kernel ------------------------------------------------------------------------------- */

typedef struct builder {
    pass_context *cx;
    const host_scan *h;
    const ir_node *region; /* its stripped body */
    kernel_params out;
    ir_node_vec prologue; /* what moves in: BIND, ALLOC */
    map by;      /* variable of the host -> reference to the kernel's */
    map done;    /* variables looked at */
    map scalars; /* pointer of a mutable scalar -> kernel variable that holds its value */
} builder;

static void add_param(builder *b, const ir_var *v, str name, const ir_node *arg)
{
    ir_var *fresh = arena_copy(b->cx->mem, v, sizeof *v);
    fresh->name = name;
    fresh->natural = v->natural || map_get_id(&b->h->naturals, v) != NULL;
    map_put_id(b->cx->mem, &b->by, v, ir_ref(b->cx->mem, fresh, v->at));
    kernel_param_vec_push(b->cx->mem, &b->out.params, (kernel_param){fresh, arg});
}

typedef struct store_search {
    const ir_var *data;
    const ir_node *found;
} store_search;

static void find_write(void *user, const ir_node *n)
{
    store_search *s = user;
    if (n->kind == IR_STORE && ir_as_store(n)->buffer->data == s->data) s->found = n;
    if (n->kind == IR_VAR && ir_as_var_ref(n)->var == s->data) s->found = n;
}

/* The value of a host's mutable scalar is loaded before the launch and passed. */
static void add_host_scalar(builder *b, const ir_alloc *alloc)
{
    arena *mem = b->cx->mem;
    const ir_buffer *scalar = alloc->buffer;
    store_search s = {scalar->data, NULL};
    ir_each(b->region, find_write, &s);
    bool single = scalar->shape.n == 0 || (scalar->shape.n == 1 && ir_is_const(scalar->shape.at[0], 1));
    if (scalar->scope != IR_SCOPE_LOCAL || !single || s.found != NULL) {
        span at = s.found != NULL ? s.found->at : alloc->node.at;
        diag_error(b->cx->diags, at,
                   "'%.*s' is %s memory outside the threads of a kernel, and is used by host code or several "
                   "kernels: a kernel can only read scalars from there",
                   STR_ARG(scalar->name), ir_scope_text(scalar->scope));
        return;
    }
    ir_node_vec zero = {0};
    for (size_t i = 0; i < scalar->shape.n; ++i) {
        ir_node_vec_push(mem, &zero, ir_int_new(mem, scalar->shape.at[i]->type, 0, scalar->at));
    }
    const ir_var *host = ir_var_new(mem, scalar->name, scalar->type, scalar->at);
    const ir_node *value = ir_load_new(mem, scalar, ir_list_of(zero), scalar->at);
    ir_node_vec_push(mem, &b->out.loads,
                     ir_make(mem, BIND, bind, scalar->at, IR_VOID, .var = host, .value = value));
    const ir_var *param = ir_var_new(mem, scalar->name, scalar->type, scalar->at);
    kernel_param_vec_push(mem, &b->out.params, (kernel_param){param, ir_ref(mem, host, scalar->at)});
    map_put_id(mem, &b->scalars, scalar->data, param);
}

static void add_var(builder *b, const ir_var *v);

/* A statement of the host repeated in the kernel, after what it needs itself. */
static void add_statement(builder *b, const ir_node *n)
{
    free_vars needed = free_vars_of(b->cx->mem, n);
    for (size_t i = 0; i < needed.vars.n; ++i) add_var(b, needed.vars.at[i]);
    ir_node_vec_push(b->cx->mem, &b->prologue, n);
}

static void add_pointer(builder *b, const ir_var *v)
{
    const ir_node *bind = map_get_id(&b->h->binds, v);
    if (bind != NULL) {
        add_statement(b, bind);
        return;
    }
    const ir_node *alloc = map_get_id(&b->h->allocs, v);
    if (alloc != NULL && ir_as_alloc(alloc)->buffer->scope != IR_SCOPE_GLOBAL) {
        if (host_memory_moves(b->h, ir_as_alloc(alloc))) add_statement(b, alloc);
        else add_host_scalar(b, ir_as_alloc(alloc));
        return;
    }
    const ir_buffer *named = map_get_id(&b->h->names, v);
    str name = named != NULL ? str_format(b->cx->mem, "%.*s_ptr", STR_ARG(named->name)) : v->name;
    add_param(b, v, name, ir_ref(b->cx->mem, v, v->at));
}

static void add_var(builder *b, const ir_var *v)
{
    if (map_get_id(&b->done, v) != NULL) return;
    map_put_id(b->cx->mem, &b->done, v, v);
    if (ir_type_is_pointer(v->type)) add_pointer(b, v);
    else add_param(b, v, v->name, ir_ref(b->cx->mem, v, v->at));
}

static bool comes_after(kernel_param a, kernel_param b)
{
    bool pa = ir_type_is_pointer(a.var->type), pb = ir_type_is_pointer(b.var->type);
    return pa != pb ? pb : str_cmp(a.var->name, b.var->name) > 0;
}

/* Stable, so that parameters of one name keep the order of their first use. */
static void sort_params(kernel_param_vec *v)
{
    for (size_t i = 1; i < v->n; ++i) {
        kernel_param p = v->at[i];
        size_t j = i;
        for (; j > 0 && comes_after(v->at[j - 1], p); --j) v->at[j] = v->at[j - 1];
        v->at[j] = p;
    }
}

/* ---- The body in terms of the parameters ------------------------------------------------------ */

typedef struct localize {
    ir_rewrite r;
    const builder *b;
    map buffers; /* buffer of the host -> the kernel's view of it */
} localize;

static const ir_node *localize_node(ir_rewrite *r, const ir_node *n)
{
    localize *l = (localize *)(void *)r;
    if (n->kind == IR_LOAD) {
        const ir_var *value = map_get_id(&l->b->scalars, ir_as_load(n)->buffer->data);
        if (value != NULL) return ir_ref(r->mem, value, n->at);
    }
    return ir_rewrite_children(r, n);
}

static const ir_buffer *localize_buffer(ir_rewrite *r, const ir_buffer *b)
{
    localize *l = (localize *)(void *)r;
    const ir_buffer *view = map_get_id(&l->buffers, b);
    if (view != NULL) return view;
    /* One of the kernel's own may have an extent that is a mutable scalar of the host. */
    ir_list shape = ir_rewrite_list(r, b->shape);
    if (shape.at == b->shape.at) return b;
    ir_buffer *fresh = arena_copy(r->mem, b, sizeof *b);
    fresh->shape = shape;
    map_put_id(r->mem, &l->buffers, b, fresh);
    return fresh;
}

/* The kernel's view of a buffer of the host. A size that is not constant is no concern of the kernel's
 * and would only add parameters: it becomes "as large as can be". */
static const ir_buffer *view_of(arena *mem, const ir_buffer *b)
{
    ir_buffer *view = arena_copy(mem, b, sizeof *b);
    ir_node_vec shape = {0};
    for (size_t i = 0; i < b->shape.n; ++i) {
        const ir_node *d = b->shape.at[i];
        ir_node_vec_push(mem, &shape, d->kind == IR_INT_IMM ? d : ir_int_new(mem, d->type, INT32_MAX, d->at));
    }
    view->shape = ir_list_of(shape);
    return view;
}

static const ir_node *localize_body(builder *b)
{
    arena *mem = b->cx->mem;
    localize l = {.r = {.mem = mem, .node = localize_node, .buffer = localize_buffer}, .b = b};
    ir_node_vec_push(mem, &b->prologue, b->region);
    const ir_node *whole = ir_seq_new(mem, b->prologue.at, b->prologue.n, b->region->at);
    free_vars outer = free_vars_of(mem, whole);
    ir_node_vec stmts = {0};
    for (size_t i = 0; i < outer.buffers.n; ++i) {
        const ir_buffer *host = outer.buffers.at[i];
        if (map_get_id(&b->scalars, host->data) != NULL) continue;
        const ir_buffer *view = view_of(mem, host);
        map_put_id(mem, &l.buffers, host, view);
        ir_node_vec_push(mem, &stmts, ir_make(mem, DECL, decl, host->at, IR_VOID, .buffer = view));
    }
    ir_node_vec_push(mem, &stmts, localize_node(&l.r, whole));
    return ir_substitute(mem, ir_seq_new(mem, stmts.at, stmts.n, b->region->at), &b->by);
}

kernel_params kernel_params_of(pass_context *cx, const host_scan *h, const region_axes *axes, const ir_node *body)
{
    builder b = {.cx = cx, .h = h, .region = body};
    for (size_t i = 0; i < axes->n; ++i) map_put_id(cx->mem, &b.done, axes->at[i].var, axes);
    free_vars used = free_vars_of(cx->mem, body);
    for (size_t i = 0; i < used.vars.n; ++i) add_var(&b, used.vars.at[i]);
    b.out.body = localize_body(&b);
    sort_params(&b.out.params);
    return b.out;
}
