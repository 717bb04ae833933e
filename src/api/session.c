/* One compile: parse, lower, emit, and say what was wrong. */
#include "api/session.h"

#include "api/diagnostic.h"
#include "api/target.h"
#include "base/error.h"
#include "front/script.h"
#include "ir/print.h"

/* ---- Running (under the arena's guard) ---------------------------------------------------------- */

static void show_pass(session *s, unsigned index, const char *name, const ir_module *m)
{
    arena_mark mark = arena_save(&s->memory);
    ingot_allocator hook = arena_hook(&s->memory);
    buf text = buf_make(&hook);
    ir_print_module(&s->memory, m, &text);
    buf_char(&text, '\0');
    s->options.on_pass(s->options.user, index, name, text.p, text.n - 1);
    arena_restore(&s->memory, mark);
}

static void after_pass(void *user, size_t index, const pass_info *pass, const ir_module *m)
{
    show_pass(user, (unsigned)index + 1, pass->name, m);
}

/* The caller's definitions, as the front end takes them. */
static front_options front_options_of(session *s)
{
    size_t n = s->options.definition_count;
    front_definition *definitions = arena_array(&s->memory, front_definition, n);
    for (size_t i = 0; i < n; ++i) {
        const ingot_definition *given = &s->options.definitions[i];
        definitions[i] = (front_definition){.name = str_of(given->name), .value = given->value};
    }
    return (front_options){.definitions = definitions, .definition_count = n, .module = str_of(s->options.module_name)};
}

static void parse(session *s)
{
    const char *name = s->options.file_name != NULL ? s->options.file_name : "<script>";
    uint32_t file = source_add(&s->memory, &s->sources, str_of(name), s->text);
    front_options options = front_options_of(s);
    s->parsed = front_parse(&s->memory, &s->sources, file, &options, &s->diags);
    if (s->diags.errors != 0) s->parsed = NULL;
    if (s->parsed != NULL && s->options.on_pass != NULL) show_pass(s, 0, "parsed", s->parsed);
}

static void lower(session *s)
{
    pass_context cx = {.mem = &s->memory, .diags = &s->diags, .target = &s->limits};
    pass_options options = {.verify = s->options.verify != 0, .user = s};
    if (s->options.on_pass != NULL) options.after = after_pass;
    s->lowered = pass_run(&cx, s->parsed, &options);
}

static void emit(session *s)
{
    arena *work = arena_scratch(&s->memory);
    s->kernels = arena_array(&s->memory, msl_kernel, s->lowered->func_count);
    for (size_t i = 0; i < s->lowered->func_count; ++i) {
        const ir_func *f = s->lowered->funcs[i];
        if (f->kind != IR_FUNC_KERNEL) continue;
        msl_kernel made;
        if (msl_emit(work, f, &s->diags, &made))
            s->kernels[s->kernel_count++] = (msl_kernel){made.name, str_copy(&s->memory, made.source)};
        arena_reset(work);
    }
    arena_free(work);
}

static void run(void *user)
{
    session *s = user;
    parse(s);
    if (s->parsed == NULL || s->stop == SESSION_PARSED) return;
    lower(s);
    if (s->lowered == NULL || s->stop == SESSION_LOWERED) return;
    emit(s);
}

/* ---- Saying what was wrong ----------------------------------------------------------------------- */

static bool report(session *s, const diag *d)
{
    const diagnostic_hook hook = {s->options.on_diagnostic, s->options.user, s->options.colour != 0};
    return diagnostic_report(&s->diags, d, s->mem, &hook);
}

ingot_status session_conclude(session *s, ingot_error *error)
{
    const diag *first = NULL;
    for (const diag *d = s->reported != NULL ? s->reported->next : s->diags.first; d != NULL; d = d->next) {
        s->reported = d;
        if (!report(s, d)) return error_no_memory(error);
        if (first == NULL && d->severity == DIAG_ERROR) first = d;
    }
    if (first == NULL) return error_none(error);
    bool internal = str_starts(first->message, STR("internal"));
    ingot_status status = error_set(error, internal ? INGOT_INTERNAL : INGOT_SYNTAX, "%.*s", STR_ARG(first->message));
    source_pos at = source_locate(&s->sources, first->at);
    if (error != NULL) {
        error->line = at.line;
        error->column = at.column;
    }
    return status;
}

ingot_status session_warn(session *s, str message, ingot_error *error)
{
    diag d = {.severity = DIAG_WARNING, .message = message};
    return report(s, &d) ? INGOT_OK : error_no_memory(error);
}

/* ---- Opening and closing -------------------------------------------------------------------------- */

/* The caller's struct may be older, and shorter, than ours. */
static ingot_status take_options(session *s, const ingot_compile_options *options, ingot_error *error)
{
    s->options = (ingot_compile_options)INGOT_COMPILE_OPTIONS_INIT;
    if (options == NULL) return INGOT_OK;
    size_t size = options->struct_size;
    if (size < sizeof options->struct_size || size > sizeof *options) {
        return error_set(error, INGOT_INVALID_ARGUMENT,
                         "ingot_compile_options.struct_size is %zu; set it with INGOT_COMPILE_OPTIONS_INIT", size);
    }
    memcpy(&s->options, options, size);
    return INGOT_OK;
}

ingot_status session_open(session *s, const char *text, size_t length, const ingot_compile_options *options,
                          session_stop stop, ingot_error *error)
{
    *s = (session){.text = {text, length}, .stop = stop};
    ingot_status status = take_options(s, options, error);
    s->mem = mem_or_default(s->options.allocator);
    arena_init(&s->memory, s->mem);
    s->diags = (diag_list){.mem = &s->memory, .sources = &s->sources};
    if (status != INGOT_OK) return status;
    if (text == NULL) return error_set(error, INGOT_INVALID_ARGUMENT, "no text given");
    if (length >= UINT32_MAX - 1) return error_set(error, INGOT_LIMIT, "the text is %zu bytes long, 4 GiB is too much", length);
    const char *target = s->options.target != NULL ? s->options.target : "metal";
    status = ingot_target_parse(target, &s->target, error);
    if (status != INGOT_OK) return status;
    s->limits = target_limits(s->target);
    if (!arena_guard(&s->memory, run, s)) return error_no_memory(error);
    return session_conclude(s, error);
}

void session_close(session *s)
{
    arena_free(&s->memory);
    ingot_target_release(s->target);
}
