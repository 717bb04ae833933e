/* Lowering host functions of the IR to host code: one function after the other, then verified as a whole. */
#include "host/from_ir.h"

#include "base/error.h"
#include "host/lower.h"

/* ---- What kernels do with pointers ---------------------------------------------------------------- */

typedef struct use_walk {
    ir_walk w;
    const ir_var *pointer;
    lower_use use;
} use_walk;

static void see_var(ir_walk *w, const ir_var *v)
{
    use_walk *u = (use_walk *)(void *)w;
    /* A pointer that is passed on may be used in any way. */
    if (v == u->pointer) u->use = (lower_use){true, true};
}

/* Loads and stores go through buffers; the walk does not show their data variables as uses. */
static void see_node(ir_walk *w, const ir_node *n)
{
    use_walk *u = (use_walk *)(void *)w;
    if (n->kind == IR_LOAD && ir_as_load(n)->buffer->data == u->pointer) u->use.read = true;
    if (n->kind == IR_STORE && ir_as_store(n)->buffer->data == u->pointer) u->use.written = true;
    if (n->kind == IR_CALL && ir_as_call(n)->fn == IR_FN_ADDRESS_OF) {
        const ir_node *what = ir_as_call(n)->args.at[0];
        if (what->kind == IR_LOAD && ir_as_load(what)->buffer->data == u->pointer) u->use = (lower_use){true, true};
    }
    ir_walk_children(w, n);
}

void lower_note_uses(lower *l, const ir_func *kernel, const ir_node *const *args)
{
    for (size_t i = 0; i < kernel->param_count; ++i) {
        lower_use *use = args[i]->kind == IR_VAR ? map_get_id(&l->uses, ir_as_var_ref(args[i])->var) : NULL;
        if (use == NULL) continue;
        use_walk u = {.w = {.node = see_node, .use_var = see_var}, .pointer = kernel->params[i].var};
        see_node(&u.w, kernel->body);
        use->read = use->read || u.use.read;
        use->written = use->written || u.use.written;
    }
}

/* ---- One function ---------------------------------------------------------------------------------- */

static host_function lower_function(lower *l)
{
    const ir_func *f = l->f;
    host_param *params = arena_copy(l->mem, lower_params(l), f->param_count * sizeof *params);
    size_t checks_end = l->code.n;
    host_lower_stmt(l, f->body);
    lower_emit(l, HOST_END, 0, 0, 0);
    for (size_t i = 0; i < f->param_count; ++i) {
        const lower_use *use = f->params[i].buffer != NULL ? map_get_id(&l->uses, f->params[i].buffer->data) : NULL;
        params[i].is_read = use != NULL && use->read;
        params[i].is_written = use != NULL && use->written;
    }
    return (host_function){.name = f->name,
                           .params = params,
                           .param_count = f->param_count,
                           .regs = l->types.at,
                           .reg_count = l->types.n,
                           .constants = l->constants.at,
                           .constant_count = l->constants.n,
                           .code = l->code.at,
                           .code_count = l->code.n,
                           .checks_end = checks_end,
                           .launches = l->launches.at,
                           .launch_count = l->launches.n,
                           .messages = l->messages.at,
                           .message_count = l->messages.n,
                           .alloc_count = l->allocs,
                           .result = lower_dtype(l->result)};
}

typedef struct job {
    arena *mem;
    const ir_module *m;
    diag_list *diags;
    host_program program;
} job;

static void lower_all(void *user)
{
    job *j = user;
    host_function *functions = arena_array(j->mem, host_function, j->m->func_count);
    size_t count = 0;
    map kernels = {0};
    for (size_t i = 0; i < j->m->func_count; ++i) {
        const ir_func *f = j->m->funcs[i];
        if (f->kind == IR_FUNC_KERNEL) map_put(j->mem, &kernels, f->name, f);
    }
    for (size_t i = 0; i < j->m->func_count; ++i) {
        if (j->m->funcs[i]->kind != IR_FUNC_HOST) continue;
        lower l = {.mem = j->mem, .diags = j->diags, .kernels = &kernels, .f = j->m->funcs[i],
                   .result = j->m->funcs[i]->result};
        functions[count++] = lower_function(&l);
    }
    j->program = (host_program){functions, count};
}

/* Through the bytes into the caller's pool: what cannot be loaded is never made. */
static ingot_status settle(pool *out_mem, const job *j, const host_program **out, ingot_error *error)
{
    buf bytes = buf_make(out_mem->mem);
    host_encode(&j->program, &bytes);
    ingot_error inner;
    ingot_status status = bytes.failed ? error_no_memory(&inner) : host_decode(out_mem, buf_view(&bytes), out, &inner);
    buf_free(&bytes);
    if (status == INGOT_FORMAT) return error_set(error, INGOT_INTERNAL, "host code came out malformed: %s", inner.message);
    return status == INGOT_OK ? INGOT_OK : error_no_memory(error);
}

ingot_status host_from_ir(pool *out_mem, arena *mem, const ir_module *m, diag_list *diags, const host_program **out,
                          ingot_error *error)
{
    *out = NULL;
    unsigned before = diags->errors;
    const diag *last = diags->last;
    job j = {.mem = mem, .m = m, .diags = diags};
    if (!arena_guard(mem, lower_all, &j)) return error_no_memory(error);
    if (diags->errors == before) return settle(out_mem, &j, out, error);
    const diag *first = last != NULL ? last->next : diags->first;
    str message = first != NULL ? first->message : STR("host code is not supported");
    return error_set(error, INGOT_UNSUPPORTED, "%.*s", (int)(message.n < 900 ? message.n : 900), message.p);
}
