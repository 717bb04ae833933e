/* ingot_compile and ingot_compile_emit: a session's kernels through the callback into a module. */
#include <stdlib.h>

#include "api/callback.h"
#include "api/session.h"
#include "api/target.h"
#include "api/text.h"
#include "base/error.h"
#include "host/from_ir.h"
#include "host/module.h"
#include "ir/print.h"
#include "pack/payload.h"

/* ---- The device part -------------------------------------------------------------------------------- */

/* The launch record of one kernel, in the session's arena. */
static void describe_kernel(session *s, const ir_func *f, pack_kernel *out)
{
    arena *mem = &s->memory;
    DLDataType *types = arena_array(mem, DLDataType, f->param_count);
    const char **names = arena_alloc(mem, f->param_count * sizeof *names);
    size_t dynamic = f->dyn_shared_bytes != NULL;
    const char **tags = arena_alloc(mem, (f->launch_tag_count + dynamic) * sizeof *tags);
    for (size_t i = 0; i < f->param_count; ++i) {
        ir_type t = f->params[i].var->type;
        types[i] = (DLDataType){t.code, t.bits, t.lanes};
        names[i] = str_copy(mem, f->params[i].var->name).p;
    }
    for (size_t i = 0; i < f->launch_tag_count; ++i) tags[i] = str_copy(mem, f->launch_tags[i]).p;
    if (dynamic != 0) tags[f->launch_tag_count] = PACK_DYN_SHARED;
    *out = (pack_kernel){.name = str_copy(mem, f->name),
                         .arg_types = types,
                         .arg_count = f->param_count,
                         .arg_names = names,
                         .launch_tags = tags,
                         .launch_tag_count = f->launch_tag_count + dynamic};
}

typedef struct device_job {
    session *s;
    pack_kernel *kernels;
    callback_kernel *sources;
} device_job;

static void describe_kernels(void *user)
{
    device_job *job = user;
    session *s = job->s;
    job->kernels = arena_array(&s->memory, pack_kernel, s->kernel_count);
    job->sources = arena_array(&s->memory, callback_kernel, s->kernel_count);
    size_t k = 0;
    for (size_t i = 0; i < s->lowered->func_count; ++i) {
        if (s->lowered->funcs[i]->kind != IR_FUNC_KERNEL) continue;
        describe_kernel(s, s->lowered->funcs[i], &job->kernels[k]);
        job->kernels[k].source = s->kernels[k].source;
        job->sources[k] = (callback_kernel){.name = job->kernels[k].name, .source = s->kernels[k].source};
        ++k;
    }
}

/* A payload that Metal could not load as what it is declared to be is named at once: the module may still be
 * wanted, for its source or for its bytes. */
static ingot_status warn_of_label(session *s, const callback_kernel *k, ingot_error *error)
{
    char why[PAYLOAD_WHY];
    if (payload_is_metallib(k->payload, why)) return INGOT_OK;
    payload_kind kind = payload_look(k->payload);
    buf message = buf_make(s->mem);
    buf_printf(&message, "kernel \"%s\": the payload is declared \"metallib\" but %s; it looks like %s%s%s", k->name.p,
               why, payload_text(kind), payload_advice(kind)[0] != '\0' ? "; " : "", payload_advice(kind));
    buf_char(&message, '\0');
    ingot_status status = message.failed ? error_no_memory(error)
                                         : session_warn(s, (str){message.p, message.n - 1}, error);
    buf_free(&message);
    return status;
}

/* Payloads by the callback, then the device module in the module's own pool. */
static ingot_status build_device(session *s, const callback *cb, ingot_module *m, ingot_error *error)
{
    device_job job = {.s = s};
    if (!arena_guard(&s->memory, describe_kernels, &job)) return error_no_memory(error);
    pool payloads = pool_make(s->mem);
    pack_format format;
    ingot_status status = callback_run(cb, s->target, &payloads, job.sources, s->kernel_count, &format, error);
    for (size_t i = 0; status == INGOT_OK && i < s->kernel_count; ++i) {
        job.kernels[i].payload = job.sources[i].payload;
        if (format == PACK_METALLIB) status = warn_of_label(s, &job.sources[i], error);
    }
    if (status == INGOT_OK) {
        pack_device_module device = {.format = format, .kernels = job.kernels, .kernel_count = s->kernel_count};
        status = pack_device_module_make(&m->memory, &device, &m->device, error);
    }
    pool_free(&payloads);
    return status;
}

/* The host part first: no callback is called for a program that cannot be built. */
static ingot_status build_host(session *s, ingot_module *m, ingot_error *error)
{
    ingot_status status = host_from_ir(&m->memory, &s->memory, s->lowered, &s->diags, &m->host, error);
    ingot_status said = session_conclude(s, status == INGOT_OK ? error : NULL);
    if (said == INGOT_OUT_OF_MEMORY) return error_no_memory(error);
    return status != INGOT_OK ? status : said;
}

/* ---- The whole --------------------------------------------------------------------------------------- */

/* True for "1", "true", "on", "yes", as TVM reads its switch. */
static bool is_on(const char *name)
{
    const char *value = getenv(name);
    static const char *const words[] = {"1", "true", "TRUE", "True", "on", "ON", "yes", "YES"};
    for (size_t i = 0; value != NULL && i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(value, words[i]) == 0) return true;
    }
    return false;
}

static ingot_status build(session *s, const callback *cb, ingot_module **out, ingot_error *error)
{
    ingot_module *m = module_create(s->mem);
    if (m == NULL) return error_no_memory(error);
    m->fallback = s->options.force_fallback || is_on("INGOT_COMPILE_FORCE_FALLBACK") || is_on("TVM_COMPILE_FORCE_FALLBACK");
    m->fast_math = target_is_fast_math(s->target);
    m->target = pool_str(&m->memory, str_of(ingot_target_text(s->target)));
    ingot_status status = m->target.p != NULL ? INGOT_OK : error_no_memory(error);
    if (status == INGOT_OK) status = build_host(s, m, error);
    if (status == INGOT_OK) status = build_device(s, cb, m, error);
    if (status == INGOT_OK) status = module_finish(m, error);
    if (status != INGOT_OK) {
        ingot_module_release(m);
        return status;
    }
    *out = m;
    return error_none(error);
}

ingot_status ingot_compile(const char *text, size_t length, const ingot_compile_options *options, ingot_module **out,
                           ingot_error *error)
{
    *out = NULL;
    session s;
    callback cb = {0};
    ingot_status status = session_open(&s, text, length, options, SESSION_EMITTED, error);
    if (status == INGOT_OK) status = callback_find(&s.options, &cb, error);
    if (status == INGOT_OK) status = build(&s, &cb, out, error);
    ingot_function_release(cb.held);
    session_close(&s);
    return status;
}

/* ---- Emitting ----------------------------------------------------------------------------------------- */

typedef struct print_job {
    session *s;
    const ir_module *module;
    buf *out;
} print_job;

static void print_module(void *user)
{
    print_job *job = user;
    ir_print_module(&job->s->memory, job->module, job->out);
}

static ingot_status emit_script(session *s, const ir_module *module, ingot_text **out, ingot_error *error)
{
    buf text = buf_make(s->mem);
    print_job job = {.s = s, .module = module, .out = &text};
    if (!arena_guard(&s->memory, print_module, &job)) text.failed = true;
    return text_take(&text, out, error);
}

/* The kernels as the callback would see them, aggregated. */
static ingot_status emit_metal(session *s, ingot_text **out, ingot_error *error)
{
    device_job job = {.s = s};
    if (!arena_guard(&s->memory, describe_kernels, &job)) return error_no_memory(error);
    pack_device_module device = {.format = PACK_METAL, .kernels = job.kernels, .kernel_count = s->kernel_count};
    buf text = buf_make(s->mem);
    pack_device_module_source(&device, &text);
    return text_take(&text, out, error);
}

static ingot_status emit_device(const char *text, size_t length, const ingot_compile_options *options,
                                ingot_text **out, ingot_error *error)
{
    ingot_module *module;
    ingot_status status = ingot_compile(text, length, options, &module, error);
    if (status == INGOT_OK) status = ingot_module_device_save(module, out, error);
    ingot_module_release(module);
    return status;
}

ingot_status ingot_compile_emit(const char *text, size_t length, ingot_emit what, const ingot_compile_options *options,
                                ingot_text **out, ingot_error *error)
{
    *out = NULL;
    if (what == INGOT_EMIT_TVM_METAL) return emit_device(text, length, options, out, error);
    session_stop stop = what == INGOT_EMIT_TIR ? SESSION_PARSED : what == INGOT_EMIT_LOWERED ? SESSION_LOWERED : SESSION_EMITTED;
    session s;
    ingot_status status = session_open(&s, text, length, options, stop, error);
    if (status == INGOT_OK) {
        status = what == INGOT_EMIT_METAL ? emit_metal(&s, out, error)
                                          : emit_script(&s, what == INGOT_EMIT_TIR ? s.parsed : s.lowered, out, error);
    }
    session_close(&s);
    return status;
}
