/* split_host_device: each thread-bound region becomes a kernel, and a launch of it on the host.
 *
 * Why: Metal compiles kernels apart from the code that launches them.
 *
 *     def main(A, B):                            def main(A, B):
 *         with T.launch_thread("threadIdx.x",        T.call_packed("main_kernel", A.data, B.data, 32)
 *                              32) as tx:   ->   def main_kernel(A_ptr, B_ptr):
 *             B[tx] = A[tx] + 1                      with T.launch_thread("threadIdx.x", 32) as tx:
 *                                                        B[tx] = A[tx] + 1
 *
 * A kernel's parameters are the variables free in its region: pointers sorted by name, then scalars sorted
 * by name. A mutable scalar of the host that the region reads is loaded before the launch and passed by
 * value; shared and local memory that stands before the region moves into it. An extent that is only known
 * at the launch stands in the kernel as the largest int. Left alone: host loops, conditions and device
 * temporaries, which stay with the host function. */
#include "ir/copy.h"
#include "ir/fold.h"
#include "pass/kernel_params.h"

VEC_DECLARE(func_vec, const ir_func *)

typedef struct split {
    ir_rewrite r;
    pass_context *cx;
    arena *out;       /* what outlives the function being split */
    map names;        /* of every function and kernel so far */
    const ir_func *f; /* being split */
    unsigned next;    /* number of its next kernel: a thousand kernels must not each count from 1 */
    host_scan host;
    func_vec kernels; /* of f, in `out` */
} split;

/* "<function>_kernel", else with the first free number from 1. */
static str kernel_name(split *s)
{
    arena *mem = s->out;
    str name = str_format(mem, "%.*s_kernel", STR_ARG(s->f->name));
    while (map_get(&s->names, name) != NULL) {
        name = str_format(mem, "%.*s_kernel_%u", STR_ARG(s->f->name), ++s->next);
    }
    map_put(mem, &s->names, name, s->f);
    return name;
}

/* ---- Dynamic threadgroup memory ---------------------------------------------------------------- */

typedef struct dyn_search {
    arena *mem;
    const ir_node *bytes;
} dyn_search;

static void add_dyn(void *user, const ir_node *n)
{
    dyn_search *d = user;
    if (n->kind != IR_ALLOC || ir_as_alloc(n)->buffer->scope != IR_SCOPE_SHARED_DYN) return;
    const ir_buffer *b = ir_as_alloc(n)->buffer;
    const ir_node *bytes = ir_int_new(d->mem, IR_I64, ir_type_bytes(b->type), b->at);
    for (size_t i = 0; i < b->shape.n; ++i) {
        bytes = ir_mul(d->mem, bytes, ir_fold_cast(d->mem, IR_I64, b->shape.at[i]));
    }
    d->bytes = d->bytes == NULL ? bytes : ir_add(d->mem, d->bytes, bytes);
}

/* Bytes of the shared.dyn memory under `body`; NULL where there is none. */
static const ir_node *dyn_shared_bytes(arena *mem, const ir_node *body)
{
    dyn_search d = {mem, NULL};
    ir_each(body, add_dyn, &d);
    return d.bytes;
}

/* ---- The body of a kernel --------------------------------------------------------------------- */

typedef struct clean_rewrite {
    ir_rewrite r;
    pass_context *cx;
} clean_rewrite;

/* Refuses by name what no kernel can do; attributes have done their work by now. */
static const ir_node *clean_node(ir_rewrite *r, const ir_node *n)
{
    diag_list *diags = ((clean_rewrite *)(void *)r)->cx->diags;
    int64_t value;
    if (n->kind == IR_ATTR) return clean_node(r, ir_as_attr(n)->body);
    if (n->kind == IR_ASSERT) {
        if (ir_const_value(ir_as_assert(n)->cond, &value) && value != 0) return ir_nop(r->mem);
    }
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_CALL_PACKED) {
        diag_error(diags, n->at, "call_packed inside a kernel is not supported: it calls host code");
    }
    return ir_rewrite_children(r, n);
}

typedef struct definitions {
    arena *mem;
    map vars;
} definitions;

static void note_definition(void *user, const ir_node *n)
{
    definitions *d = user;
    if (n->kind == IR_BIND) map_put_id(d->mem, &d->vars, ir_as_bind(n)->var, n);
    if (n->kind == IR_FOR) map_put_id(d->mem, &d->vars, ir_as_for(n)->var, n);
    if (n->kind == IR_THREAD) map_put_id(d->mem, &d->vars, ir_as_thread(n)->var, n);
    if (n->kind == IR_ALLOC) map_put_id(d->mem, &d->vars, ir_as_alloc(n)->buffer->data, n);
}

/* Extents are computed by the host: they may not use what only the kernel defines. */
static void check_extents(split *s, const ir_node *region, const region_axes *axes)
{
    definitions d = {.mem = s->cx->mem};
    ir_each(region, note_definition, &d);
    for (size_t i = 0; i < axes->n; ++i) {
        free_vars used = free_vars_of(s->cx->mem, axes->at[i].extent);
        bool inside = false;
        for (size_t j = 0; j < used.vars.n; ++j) inside |= map_get_id(&d.vars, used.vars.at[j]) != NULL;
        if (inside) {
            diag_error(s->cx->diags, axes->at[i].at,
                       "the extent of '%.*s' depends on what the kernel computes: it must be known before the launch",
                       STR_ARG(axes->at[i].tag));
        }
    }
}

static const ir_func *make_kernel(split *s, str name, const kernel_params *p, const region_axes *axes, span at)
{
    arena *mem = s->cx->mem;
    region_axes own = {0};
    str *tags = arena_array(mem, str, axes->n);
    for (size_t i = 0; i < axes->n; ++i) {
        region_axis a = axes->at[i];
        if (a.extent->kind != IR_INT_IMM) a.extent = ir_int_new(mem, a.extent->type, INT32_MAX, a.at);
        region_axes_push(mem, &own, a);
        tags[i] = a.tag;
    }
    ir_param *params = arena_array(mem, ir_param, p->params.n);
    for (size_t i = 0; i < p->params.n; ++i) params[i] = (ir_param){.var = p->params.at[i].var};
    clean_rewrite clean = {.r = {.mem = mem, .node = clean_node}, .cx = s->cx};
    ir_func *k = arena_new(mem, ir_func);
    *k = (ir_func){.name = name,
                   .kind = IR_FUNC_KERNEL,
                   .params = params,
                   .param_count = p->params.n,
                   .result = IR_VOID,
                   .body = region_wrap(mem, clean_node(&clean.r, p->body), &own),
                   .launch_tags = tags,
                   .launch_tag_count = axes->n,
                   .dyn_shared_bytes = dyn_shared_bytes(mem, p->body),
                   .at = at};
    return k;
}

/* ---- The launch -------------------------------------------------------------------------------- */

static const ir_node *make_launch(split *s, str name, kernel_params *p, const region_axes *axes,
                                  const ir_node *region)
{
    arena *mem = s->cx->mem;
    ir_node_vec args = {0};
    ir_node_vec_push(mem, &args, ir_string_new(mem, name, region->at));
    for (size_t i = 0; i < p->params.n; ++i) ir_node_vec_push(mem, &args, p->params.at[i].arg);
    for (size_t i = 0; i < axes->n; ++i) ir_node_vec_push(mem, &args, axes->at[i].extent);
    const ir_node *bytes = dyn_shared_bytes(mem, region);
    if (bytes != NULL) ir_node_vec_push(mem, &args, bytes);
    const ir_node *call = ir_call_new(mem, IR_FN_CALL_PACKED, IR_I32, ir_list_of(args), region->at);
    ir_node_vec_push(mem, &p->loads, ir_eval_new(mem, call));
    return ir_seq_new(mem, p->loads.at, p->loads.n, region->at);
}

static const ir_node *cut(split *s, const ir_node *region)
{
    arena *mem = s->cx->mem;
    region_axes axes = region_axes_of(mem, region);
    check_extents(s, region, &axes);
    kernel_params p = kernel_params_of(s->cx, &s->host, &axes, region_strip(mem, region, &axes));
    str name = kernel_name(s);
    func_vec_push(mem, &s->kernels, ir_copy_func(s->out, mem, make_kernel(s, name, &p, &axes, region->at)));
    return make_launch(s, name, &p, &axes, region);
}

static const ir_node *split_node(ir_rewrite *r, const ir_node *n)
{
    split *s = (split *)(void *)r;
    if (!ir_is_stmt(n)) return n;
    if (n->kind == IR_THREAD) return cut(s, n);
    if (n->kind == IR_ALLOC && host_memory_moves(&s->host, ir_as_alloc(n))) return ir_nop(r->mem);
    return ir_rewrite_children(r, n);
}

/* The host's part of `f` and its kernels, made in the context's memory and kept as copies in s->out. */
static void split_func(split *s, const ir_func *f, func_vec *funcs)
{
    arena *work = s->cx->mem;
    ir_func host = *f;
    s->f = f;
    s->next = 0;
    s->host = host_scan_of(work, f);
    s->kernels = func_vec_none();
    host.kind = IR_FUNC_HOST;
    host.body = split_node(&s->r, f->body);
    func_vec_push(s->out, funcs, ir_copy_func(s->out, work, &host));
    for (size_t i = 0; i < s->kernels.n; ++i) func_vec_push(s->out, funcs, s->kernels.at[i]);
}

const ir_module *pass_split_host_device(pass_context *cx, const ir_module *m)
{
    arena *out = cx->mem, *work = arena_scratch(out);
    split s = {.r = {.mem = work, .node = split_node}, .cx = cx, .out = out};
    for (size_t i = 0; i < m->func_count; ++i) map_put(out, &s.names, m->funcs[i]->name, m);
    func_vec funcs = {0};
    cx->mem = work;
    for (size_t i = 0; i < m->func_count; ++i) {
        if (m->funcs[i]->kind == IR_FUNC_WHOLE) {
            split_func(&s, m->funcs[i], &funcs);
        } else {
            func_vec_push(out, &funcs, m->funcs[i]);
        }
        arena_reset(work);
    }
    cx->mem = out;
    arena_free(work);
    ir_module *whole = arena_copy(out, m, sizeof *m);
    whole->funcs = funcs.at;
    whole->func_count = funcs.n;
    return whole;
}
