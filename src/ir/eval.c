/* The interpreter's outside: arguments, kernel launches, and the arenas that it runs in. */
#include "ir/eval.h"

#include "ir/eval_inner.h"

static const unsigned char on_host[1] = {1};

static eval_lane host(eval *ev)
{
    return (eval_lane){ev, 0, on_host};
}

static void set_scalar(eval *ev, const ir_var *var, ir_value v)
{
    ir_value fit;
    if (!ir_value_cast(var->type, v, &fit, NULL)) {
        eval_fail(ev, var->at, "'%.*s' cannot take this value", STR_ARG(var->name));
        return;
    }
    eval_set(ev, var, 0, 0, eval_cell_of(fit));
}

/* ---- Arguments ------------------------------------------------------------------------------- */

/* A variable in a shape takes the argument's value the first time; everything else must agree. */
static void agree(eval *ev, const ir_buffer *b, const ir_node *n, int64_t given, const char *what)
{
    if (n->kind == IR_VAR && map_get_id(&ev->slots, ir_as_var_ref(n)->var) == NULL) {
        set_scalar(ev, ir_as_var_ref(n)->var, ir_value_int(IR_I64, given));
        return;
    }
    int64_t expected = eval_scalar(host(ev), n).i;
    if (expected == given) return;
    eval_fail(ev, b->at, "%s of '%.*s' is %lld, expected %lld", what, STR_ARG(b->name),
              (long long)given, (long long)expected);
}

static int64_t stride_of(const ir_eval_arg *arg, size_t dim)
{
    if (arg->strides != NULL) return arg->strides[dim];
    int64_t stride = 1;
    for (size_t d = dim + 1; d < arg->ndim; ++d) stride *= arg->shape[d];
    return stride;
}

static size_t bytes_behind(const ir_eval_arg *arg)
{
    int64_t last = 0;
    for (size_t d = 0; d < arg->ndim; ++d) {
        if (arg->shape[d] <= 0) return 0;
        last += (arg->shape[d] - 1) * stride_of(arg, d);
    }
    return (size_t)(last + 1) * ir_type_bytes(arg->type);
}

static void bind_memory(eval *ev, const ir_param *p, const ir_eval_arg *arg)
{
    str name = p->buffer != NULL ? p->buffer->name : p->var->name;
    eval_adopt(ev, p->var, arg->data, bytes_behind(arg), name);
    if (p->buffer == NULL) return;
    if (!ir_type_eq(p->buffer->type, arg->type) || p->buffer->shape.n != arg->ndim) {
        eval_fail(ev, p->buffer->at,
                  "'%.*s' is given an array of another type or number of dimensions",
                  STR_ARG(name));
        return;
    }
    eval_adopt(ev, p->buffer->data, arg->data, bytes_behind(arg), name);
}

/* Variables alone first, then what is said in terms of them. */
static void bind_shape(eval *ev, const ir_buffer *b, const ir_eval_arg *arg, bool variables)
{
    for (size_t d = 0; d < arg->ndim && !ev->failed; ++d) {
        if ((b->shape.at[d]->kind == IR_VAR) == variables)
            agree(ev, b, b->shape.at[d], arg->shape[d], "extent");
        if (b->strides.n == 0) {
            int64_t row_major = 1;
            for (size_t k = d + 1; k < arg->ndim; ++k) row_major *= arg->shape[k];
            if (arg->shape[d] != 1 && stride_of(arg, d) != row_major) {
                eval_fail(ev, b->at, "'%.*s' must be row-major", STR_ARG(b->name));
            }
        } else if ((b->strides.at[d]->kind == IR_VAR) == variables) {
            agree(ev, b, b->strides.at[d], stride_of(arg, d), "stride");
        }
    }
    if (b->elem_offset != NULL && b->elem_offset->kind == IR_VAR && variables)
        agree(ev, b, b->elem_offset, 0, "offset");
}

static void bind_args(eval *ev, const ir_func *f, const ir_eval_arg *args, size_t n)
{
    if (n != f->param_count) {
        eval_fail(ev, f->at, "%zu arguments for %zu parameters", n, f->param_count);
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        const ir_param *p = &f->params[i];
        if (p->buffer != NULL || ir_type_is_pointer(p->var->type))
            bind_memory(ev, p, &args[i]);
        else
            set_scalar(ev, p->var, args[i].value);
    }
    for (int variables = 1; variables >= 0; --variables) {
        for (size_t i = 0; i < n && !ev->failed; ++i) {
            if (f->params[i].buffer != NULL)
                bind_shape(ev, f->params[i].buffer, &args[i], variables != 0);
        }
    }
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static const ir_func *find_kernel(const ir_module *m, str name)
{
    for (size_t i = 0; i < m->func_count; ++i) {
        if (m->funcs[i]->kind == IR_FUNC_KERNEL && str_eq(m->funcs[i]->name, name))
            return m->funcs[i];
    }
    return NULL;
}

static void pass_param(eval *ev, const ir_param *p, const ir_node *arg)
{
    eval_cell c = eval_scalar(host(ev), arg);
    if (p->buffer != NULL) eval_set(ev, p->buffer->data, 0, 0, c);
    if (p->buffer != NULL || ir_type_is_pointer(p->var->type))
        eval_set(ev, p->var, 0, 0, c);
    else
        set_scalar(ev, p->var, eval_value(arg->type, c));
}

void eval_packed(eval *ev, const ir_call *c)
{
    const ir_node *first = c->args.at[0];
    const ir_func *k =
        first->kind == IR_STRING ? find_kernel(ev->module, ir_as_string(first)->text) : NULL;
    if (k == NULL || ev->in_region) {
        eval_fail(ev, c->node.at, "call_packed of something that is no kernel of the module");
        return;
    }
    size_t expected =
        1 + k->param_count + k->launch_tag_count + (k->dyn_shared_bytes != NULL ? 1 : 0);
    if (c->args.n != expected) {
        eval_fail(ev, c->node.at, "kernel '%.*s' is launched with %zu arguments, expected %zu",
                  STR_ARG(k->name), c->args.n - 1, expected - 1);
        return;
    }
    for (size_t i = 0; i < k->param_count; ++i) pass_param(ev, &k->params[i], c->args.at[1 + i]);
    int64_t *extents = arena_array(ev->scratch, int64_t, k->launch_tag_count);
    for (size_t i = 0; i < k->launch_tag_count; ++i) {
        extents[i] = eval_scalar(host(ev), c->args.at[1 + k->param_count + i]).i;
    }
    eval_launch launch = {k->launch_tags, extents, k->launch_tag_count};
    ir_buffer_vec outside = ev->outside;
    ev->outside = (ir_buffer_vec){0};
    ev->launch = &launch;
    eval_exec(ev, k->body, on_host);
    ev->launch = NULL;
    ev->outside = outside;
    ev->state[0] = EVAL_RUNS;
}

/* ---- Running --------------------------------------------------------------------------------- */

typedef struct run {
    eval ev;
    arena keep, scratch;
    const ir_func *f;
    const ir_eval_arg *args;
    size_t n;
    bool completed;
} run;

static void run_inner(void *user)
{
    run *r = user;
    unsigned char state[1] = {EVAL_RUNS};
    r->ev.state = state;
    bind_args(&r->ev, r->f, r->args, r->n);
    if (!r->ev.failed) eval_exec(&r->ev, r->f->body, on_host);
    r->completed = true;
}

static void run_outer(void *user)
{
    run *r = user;
    arena_guard(&r->scratch, run_inner, r);
}

bool ir_eval_func(arena *mem, const ir_module *m, const ir_func *f, const ir_eval_arg *args,
                  size_t n, const ir_eval_options *options, str *error)
{
    run r = {.f = f, .args = args, .n = n};
    uint64_t most = options != NULL ? options->max_steps : 0;
    r.ev = (eval){.keep = &r.keep,
                  .scratch = &r.scratch,
                  .module = m,
                  .lanes = 1,
                  .threads = 1,
                  .max_steps = most != 0 ? most : (uint64_t)1 << 32};
    arena_init(&r.keep, mem->mem);
    arena_init(&r.scratch, mem->mem);
    bool ok = arena_guard(&r.keep, run_outer, &r) && r.completed && !r.ev.failed;
    if (!ok) *error = str_copy(mem, r.ev.failed ? r.ev.error : STR("out of memory"));
    arena_free(&r.scratch);
    arena_free(&r.keep);
    return ok;
}
