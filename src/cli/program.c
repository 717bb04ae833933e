/* From a script's file and options to a compile through the public API. */
#include "cli/program.h"

#include "cli/file.h"
#include "cli/filter.h"
#include "cli/literal.h"

#include <stdio.h>
#include <string.h>

bool cli_is_module(const cli_bytes *bytes)
{
    static const char magic[] = "\x89INGOT\r\n";
    return bytes->size >= sizeof magic - 1 && memcmp(bytes->data, magic, sizeof magic - 1) == 0;
}

/* A later definition replaces an earlier one of the same name. */
static void define(cli_program *p, const char *name, ingot_value value)
{
    for (size_t i = 0; i < p->definition_count; i++) {
        if (strcmp(p->definitions[i].name, name) != 0) continue;
        p->definitions[i].value = value;
        return;
    }
    size_t size = (p->definition_count + 1) * sizeof *p->definitions;
    p->definitions = cli_pool_resize(&p->c->pool, p->definitions, size);
    p->definitions[p->definition_count++] = (ingot_definition){name, value};
}

/* A compile step of the library's own, instead of a command of the shell's. */
#define BUILTIN "builtin:"

static bool is_builtin(const char *command)
{
    return command && strncmp(command, BUILTIN, strlen(BUILTIN)) == 0;
}

int cli_program_options(cli *c, const cli_words *words, cli_program *p)
{
    *p = (cli_program){.c = c, .text = {.pool = &c->pool}};
    for (size_t i = 0; i < words->count; i++) {
        const cli_word *word = &words->items[i];
        if (!word->option || word->option->id != CLI_OPTION_DEFINE) continue;
        cli_bytes why = {.pool = &c->pool};
        const char *name, *value;
        ingot_value parsed;
        if (!cli_assignment(word->text, &c->pool, &name, &value, &why))
            return cli_usage(c, "--define: %s", why.data);
        if (!cli_literal(value, &c->pool, &parsed, &why))
            return cli_usage(c, "--define %s: %s", name, why.data);
        define(p, name, parsed);
    }
    p->module = cli_words_value(words, CLI_OPTION_MODULE);
    p->target = cli_words_value(words, CLI_OPTION_TARGET);
    p->command = cli_words_value(words, CLI_OPTION_METAL_COMPILE);
    p->format = cli_words_value(words, CLI_OPTION_METAL_FORMAT);
    if (p->format && !p->command)
        return cli_usage(c, "--metal-compile-format needs --metal-compile");
    if (p->format && strcmp(p->format, "metal") != 0 && strcmp(p->format, "metallib") != 0)
        return cli_usage(c, "--metal-compile-format is metal or metallib, not '%s'", p->format);
    if (p->command && !p->command[strspn(p->command, " \t\n")])
        return cli_usage(c, "--metal-compile: the command is empty");
    if (is_builtin(p->command) && strcmp(p->command, BUILTIN "metallib") != 0)
        return cli_usage(c, "--metal-compile: there is builtin:metallib and no '%s'", p->command);
    if (is_builtin(p->command) && p->format && strcmp(p->format, "metallib") != 0)
        return cli_usage(c, "--metal-compile builtin:metallib gives metallib, not '%s'", p->format);
    return CLI_GOOD;
}

int cli_program_read(cli_program *p, const char *file)
{
    cli_bytes why = {.pool = &p->c->pool};
    p->file = strcmp(file, "-") == 0 ? "<stdin>" : file;
    if (!cli_file_read(file, &p->text, &why)) return cli_error(p->c, "%s", why.data);
    return CLI_GOOD;
}

/* The name behind "kernel void", for messages. */
static const char *kernel_name(cli_pool *pool, const char *source)
{
    static const char words[] = "kernel void ";
    const char *at = strstr(source, words);
    if (!at) return NULL;
    at += sizeof words - 1;
    return cli_pool_text(pool, at, strcspn(at, "( \t\n"));
}

static ingot_status run_command(void *user, const ingot_value *args, size_t count,
                                ingot_result *result, ingot_error *error)
{
    cli_program *p = user;
    cli_pool *pool = &p->c->pool;
    if (count < 1 || args[0].kind != INGOT_VALUE_STR) {
        snprintf(error->message, sizeof error->message,
                 "the compile callback was called without a source");
        return error->status = INGOT_INTERNAL;
    }
    char *source = cli_pool_text(pool, args[0].as.text.data, args[0].as.text.size);
    const char *name = kernel_name(pool, source);
    cli_bytes payload = {.pool = pool}, why = {.pool = pool};
    char label[96];
    snprintf(label, sizeof label, "kernel %u: %s", ++p->kernels, p->command);
    cli_progress_label(&p->c->progress, label);
    bool ok = cli_filter(p->command, source, args[0].as.text.size, &payload, &why);
    cli_pool_drop(pool, source);
    if (!ok) {
        snprintf(error->message, sizeof error->message,
                 "%s%s%sthe --metal-compile command '%.300s' %s", name ? "kernel '" : "",
                 name ? name : "", name ? "': " : "", p->command, why.data);
        return error->status = INGOT_CALLBACK;
    }
    ingot_value bytes = ingot_bytes(payload.data ? payload.data : "", payload.size);
    ingot_value pair[2] = {bytes, ingot_none()};
    if (p->format) pair[1] = ingot_str(p->format, strlen(p->format));
    ingot_status status = ingot_result_set(result, p->format ? ingot_tuple(pair, 2) : bytes);
    cli_pool_drop(pool, payload.data);
    return error->status = status;
}

static const char *severity_name(ingot_severity severity)
{
    switch (severity) {
    case INGOT_SEVERITY_ERROR: return "error";
    case INGOT_SEVERITY_WARNING: return "warning";
    case INGOT_SEVERITY_NOTE: return "note";
    }
    return "note";
}

static void on_diagnostic(void *user, const ingot_diagnostic *d)
{
    cli_program *p = user;
    if (d->severity == INGOT_SEVERITY_ERROR) p->errors = true;
    if (!p->diagnostics) {
        cli_message(p->c, d->text);
        return;
    }
    cli_json *j = p->diagnostics;
    cli_json_object(j, NULL);
    cli_json_string(j, "severity", severity_name(d->severity));
    cli_json_string(j, "file", d->file);
    cli_json_int(j, "line", d->line);
    cli_json_int(j, "column", d->column);
    cli_json_int(j, "length", d->length);
    cli_json_string(j, "message", d->message);
    cli_json_end(j);
}

static void on_pass(void *user, unsigned index, const char *pass, const char *text, size_t size)
{
    cli_program *p = user;
    if (p->on_pass) p->on_pass(p->on_pass_user, index, pass, text, size);
}

static ingot_compile_options options_of(cli_program *p)
{
    ingot_compile_options o = INGOT_COMPILE_OPTIONS_INIT;
    o.file_name = p->file;
    o.target = p->target;
    o.module_name = p->module;
    o.definitions = p->definitions;
    o.definition_count = p->definition_count;
    if (is_builtin(p->command)) {
        o.compile_kernel = ingot_compile_metallib;
    } else if (p->command) {
        o.compile_kernel = run_command;
        o.compile_kernel_user = p;
    }
    o.on_diagnostic = on_diagnostic;
    if (p->on_pass) o.on_pass = on_pass;
    o.user = p;
    o.colour = p->c->colour && !p->diagnostics;
    o.verify = p->verify;
    return o;
}

/* What is wrong with the compile, unless a diagnostic has said it. */
static int report(cli_program *p, ingot_status status, ingot_error *error)
{
    if (status == INGOT_OK) return CLI_GOOD;
    error->status = status;
    if (p->errors && status != INGOT_INTERNAL) return CLI_INPUT;
    if (!p->diagnostics) return cli_library_error(p->c, NULL, error);
    ingot_diagnostic d = {INGOT_SEVERITY_ERROR, p->file,       error->line, error->column, 0,
                          error->message,       error->message};
    on_diagnostic(p, &d);
    return status == INGOT_INTERNAL ? CLI_INTERNAL : CLI_INPUT;
}

static void begin(cli_program *p)
{
    char label[96];
    snprintf(label, sizeof label, "compiling %.80s", p->file);
    cli_progress_begin(&p->c->progress, label);
}

static int end(cli_program *p, double began, ingot_status status, ingot_error *error)
{
    cli_progress_end(&p->c->progress);
    if (status == INGOT_OK)
        cli_say(p->c, "compiled %s in %.3f ms", p->file, (cli_seconds() - began) * 1e3);
    return report(p, status, error);
}

int cli_program_compile(cli_program *p, ingot_module **out)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_compile_options options = options_of(p);
    begin(p);
    double began = cli_seconds();
    const char *text = p->text.data ? p->text.data : "";
    ingot_status status = ingot_compile(text, p->text.size, &options, out, &error);
    return end(p, began, status, &error);
}

int cli_program_emit(cli_program *p, ingot_emit what, ingot_text **out)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_compile_options options = options_of(p);
    begin(p);
    double began = cli_seconds();
    const char *text = p->text.data ? p->text.data : "";
    ingot_status status = ingot_compile_emit(text, p->text.size, what, &options, out, &error);
    return end(p, began, status, &error);
}
