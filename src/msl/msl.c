/* A kernel as a whole MSL file: prelude, argument struct, signature, thread variables, body. */
#include "msl/msl.h"

#include "msl/emitter.h"

/* ---- Arguments -------------------------------------------------------------------------------- */

static size_t pointer_count(const ir_func *f)
{
    size_t n = 0;
    while (n < f->param_count && ir_type_is_pointer(f->params[n].var->type)) ++n;
    return n;
}

/* Every scalar takes eight bytes, as TVM's launcher lays them out. */
static void argument_struct(emitter *e, const ir_func *f, const char *struct_name)
{
    buf_line(&e->out, "struct %s {", struct_name);
    ++e->out.depth;
    for (size_t i = pointer_count(f); i < f->param_count; ++i) {
        const ir_var *v = f->params[i].var;
        map_put_id(e->mem, &e->arguments, v, v);
        buf_line(&e->out, "alignas(8) %s %s;", msl_type_or_error(e, v->type, v->at), msl_var_name(e, v));
    }
    --e->out.depth;
    buf_text(&e->out, "};\n\n");
}

/* ---- Threads ---------------------------------------------------------------------------------- */

typedef struct axes {
    const ir_thread *threads[16];
    size_t n;
    bool block, thread; /* is any axis of that kind used? */
} axes;

/* Takes the THREAD statements off the body, outermost first. */
static const ir_node *strip_threads(emitter *e, const ir_node *body, axes *out)
{
    while (body->kind == IR_THREAD) {
        const ir_thread *t = ir_as_thread(body);
        if (out->n == sizeof out->threads / sizeof *out->threads) {
            diag_error(e->diags, body->at, "more thread axes than Metal has");
            break;
        }
        out->threads[out->n++] = t;
        body = t->body;
    }
    for (size_t i = 0; i < out->n; ++i) {
        if (!ir_uses_var(body, out->threads[i]->var)) continue;
        bool block = str_starts(out->threads[i]->tag, STR("blockIdx."));
        out->block |= block;
        out->thread |= !block;
    }
    return body;
}

/* The largest number of threads of a group, where all its extents are constants; else 0. */
static int64_t group_size(const axes *a)
{
    int64_t product = 1;
    for (size_t i = 0; i < a->n; ++i) {
        int64_t extent;
        if (!str_starts(a->threads[i]->tag, STR("threadIdx."))) continue;
        if (!ir_const_value(a->threads[i]->extent, &extent) || extent <= 0 || extent > 1024) return 0;
        product *= extent;
    }
    return product <= 1024 ? product : 0;
}

static void thread_variables(emitter *e, const axes *a, const ir_node *body)
{
    for (size_t i = 0; i < a->n; ++i) {
        const ir_thread *t = a->threads[i];
        if (!ir_uses_var(body, t->var)) continue;
        const char *type = msl_type_or_error(e, t->var->type, t->node.at);
        buf_line(&e->out, "const %s %s = %s(%.*s);", type, msl_var_name(e, t->var), type, STR_ARG(t->tag));
    }
}

/* Metal declares threadgroup memory at the head of a kernel only. */
static void hoist_shared(void *user, const ir_node *n)
{
    emitter *e = user;
    if (n->kind != IR_ALLOC) return;
    const ir_alloc *alloc = ir_as_alloc(n);
    if (alloc->buffer->scope != IR_SCOPE_SHARED) return;
    map_put_id(e->mem, &e->hoisted, n, n);
    msl_alloc(e, alloc);
}

/* Threadgroup memory sized at launch is a parameter, not a declaration. */
static void note_dynamic(void *user, const ir_node *n)
{
    emitter *e = user;
    if (n->kind != IR_ALLOC || ir_as_alloc(n)->buffer->scope != IR_SCOPE_SHARED_DYN) return;
    map_put_id(e->mem, &e->hoisted, n, n);
    if (e->dynamic != NULL) {
        diag_error(e->diags, n->at, "internal: two allocations of scope shared.dyn in one kernel");
    }
    e->dynamic = ir_as_alloc(n)->buffer;
}

/* ---- The whole -------------------------------------------------------------------------------- */

static void next_parameter(emitter *e, bool *first, size_t column)
{
    if (!*first) {
        buf_text(&e->out, ",\n");
        for (size_t i = 0; i < column; ++i) buf_char(&e->out, ' ');
    }
    *first = false;
}

static void buffer_parameter(emitter *e, const ir_var *v, size_t slot)
{
    bool is_const = map_get_id(&e->written, v) == NULL;
    const char *type = ir_type_is_void(v->pointee) ? "void" : msl_type_or_error(e, v->pointee, v->at);
    buf_printf(&e->out, "device %s%s* %s [[buffer(%zu)]]", is_const ? "const " : "", type, msl_var_name(e, v), slot);
}

/* The name that the host knows the kernel by. Symbols hold no control characters. */
static void host_name(emitter *e, str name)
{
    buf_text(&e->out, "[[host_name(\"");
    for (size_t i = 0; i < name.n; ++i) {
        if (name.p[i] == '"' || name.p[i] == '\\') buf_char(&e->out, '\\');
        buf_char(&e->out, name.p[i]);
    }
    buf_text(&e->out, "\")]] ");
}

static void signature(emitter *e, const ir_func *f, const axes *a, const char *name, const char *struct_name)
{
    str exact = str_of(name);
    if (!str_eq(exact, f->name)) host_name(e, f->name);
    int64_t threads = group_size(a);
    if (threads != 0) buf_printf(&e->out, "[[max_total_threads_per_threadgroup(%lld)]]\n", (long long)threads);
    size_t start = e->out.n;
    buf_printf(&e->out, "kernel void %s(", name);
    size_t column = e->out.n - start, pointers = pointer_count(f);
    bool first = true;
    for (size_t i = 0; i < pointers; ++i) {
        next_parameter(e, &first, column);
        buffer_parameter(e, f->params[i].var, i);
    }
    if (struct_name != NULL) {
        next_parameter(e, &first, column);
        buf_printf(&e->out, "constant %s& args [[buffer(%zu)]]", struct_name, pointers);
    }
    if (e->dynamic != NULL) {
        next_parameter(e, &first, column);
        buf_printf(&e->out, "threadgroup %s* %s [[threadgroup(0)]]",
                   msl_type_or_error(e, e->dynamic->type, e->dynamic->at), msl_var_name(e, e->dynamic->data));
    }
    if (a->block) {
        next_parameter(e, &first, column);
        buf_text(&e->out, "uint3 blockIdx [[threadgroup_position_in_grid]]");
    }
    if (a->thread) {
        next_parameter(e, &first, column);
        buf_text(&e->out, "uint3 threadIdx [[thread_position_in_threadgroup]]");
    }
    buf_text(&e->out, ")\n{\n");
}

bool msl_emit(arena *mem, const ir_func *kernel, diag_list *diags, msl_kernel *out)
{
    ingot_allocator hook = arena_hook(mem);
    emitter e = {.mem = mem, .diags = diags, .out = buf_make(&hook)};
    unsigned errors = diags->errors;
    msl_note_usage(&e, kernel);
    axes a = {0};
    const ir_node *body = strip_threads(&e, kernel->body, &a);
    const char *name = msl_fresh_name(&e, kernel->name);
    const char *struct_name = NULL;
    for (size_t i = 0; i < kernel->param_count; ++i) msl_var_name(&e, kernel->params[i].var);
    buf_text(&e.out, "#include <metal_stdlib>\n\nusing namespace metal;\n\n");
    if (pointer_count(kernel) < kernel->param_count) {
        struct_name = msl_fresh_name(&e, str_format(mem, "%s_args_t", name));
        argument_struct(&e, kernel, struct_name);
    }
    ir_each(body, note_dynamic, &e);
    msl_atomic_helpers(&e, body);
    signature(&e, kernel, &a, name, struct_name);
    e.out.depth = 1;
    ir_each(body, hoist_shared, &e);
    thread_variables(&e, &a, body);
    msl_stmt(&e, body);
    buf_text(&e.out, "}\n");
    *out = (msl_kernel){.name = kernel->name, .source = str_copy(mem, buf_view(&e.out))};
    return diags->errors == errors;
}
