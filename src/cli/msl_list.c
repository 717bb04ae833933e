/* `ingot msl list`: the kernels of a .metal file or a metallib, with what each is launched with. */
#include "cli/file.h"
#include "cli/json.h"
#include "cli/metal_text.h"

#include <string.h>

enum {
    BEFORE = CLI_OPTION_OWN - 1,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/msl_list_options.def"
#undef CLI_OPTION
};

static const cli_option options[] = {
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) {ID, LETTER, MANY, NAME, VALUE, HELP},
#include "cli/msl_list_options.def"
#include "cli/msl_define_options.def"
#include "cli/msl_text_options.def"
#include "cli/verb_options.def"
#undef CLI_OPTION
    {0},
};

/* The words of [[...]] and of JSON. */
static const char *const kinds[] = {[INGOT_METAL_ARGUMENT_DEVICE] = "buffer",
                                    [INGOT_METAL_ARGUMENT_CONSTANT] = "buffer",
                                    [INGOT_METAL_ARGUMENT_THREADGROUP] = "threadgroup",
                                    [INGOT_METAL_ARGUMENT_TEXTURE] = "texture",
                                    [INGOT_METAL_ARGUMENT_SAMPLER] = "sampler",
                                    [INGOT_METAL_ARGUMENT_VALUE] = "value"};
static const char *const spaces[] = {[INGOT_METAL_ARGUMENT_DEVICE] = "device ",
                                     [INGOT_METAL_ARGUMENT_CONSTANT] = "constant ",
                                     [INGOT_METAL_ARGUMENT_THREADGROUP] = "threadgroup ",
                                     [INGOT_METAL_ARGUMENT_TEXTURE] = "",
                                     [INGOT_METAL_ARGUMENT_SAMPLER] = "",
                                     [INGOT_METAL_ARGUMENT_VALUE] = ""};

static const char *access_of(const ingot_metal_argument *a)
{
    if (a->is_read) return a->is_written ? "read and written" : "read";
    return a->is_written ? "written" : "not used";
}

static bool points(const ingot_metal_argument *a)
{
    return a->kind <= INGOT_METAL_ARGUMENT_THREADGROUP;
}

static void print_argument(const ingot_metal_argument *a, cli_bytes *out)
{
    cli_bytes type = {.pool = out->pool};
    bool constant = a->is_const && a->kind == INGOT_METAL_ARGUMENT_DEVICE;
    cli_bytes_print(&type, "%s%s%s%s%s", spaces[a->kind], constant ? "const " : "", a->type,
                    points(a) ? a->is_reference ? " &" : " *" : " ", a->name);
    if (a->count > 1) cli_bytes_print(&type, "[%u]", a->count);
    cli_bytes_print(out, "  [[%s(%u)]]%s %-40s", kinds[a->kind], a->index, a->index < 10 ? " " : "", type.data);
    if (points(a)) cli_bytes_print(out, " %zu bytes each, %s", a->size, access_of(a));
    while (out->size && out->data[out->size - 1] == ' ') out->size--;
    cli_bytes_text(out, "\n");
}

/* What lies in a structure, by the names that --buffer, --texture and --sampler take. */
static void print_members(ingot_metal_function *f, size_t argument, const char *name, cli_bytes *out)
{
    ingot_metal_member m;
    for (size_t i = 0; ingot_metal_function_member(f, argument, i, &m) == INGOT_OK; i++) {
        const char *points = m.info.kind <= INGOT_METAL_ARGUMENT_CONSTANT ? " *" : " ";
        bool constant = m.info.is_const && m.info.kind == INGOT_METAL_ARGUMENT_DEVICE;
        cli_bytes_print(out, "      %s.%s: %s%s%s%s%s, at byte %zu\n", name, m.info.name, spaces[m.info.kind], constant ? "const " : "",
                        m.info.type, points, m.info.name, m.offset);
    }
}

/* `p` is NULL for a kernel of a metallib, which is not compiled for a list. */
static void print_kernel(ingot_metal_function *f, ingot_metal_pipeline *p, cli_bytes *out)
{
    cli_bytes_print(out, "kernel %s", ingot_metal_function_name(f));
    if (p)
        cli_bytes_print(out, ": at most %u threads a threadgroup, %zu bytes of threadgroup memory",
                        ingot_metal_pipeline_max_total_threads_per_threadgroup(p),
                        ingot_metal_pipeline_static_threadgroup_memory_length(p));
    cli_bytes_text(out, "\n");
    ingot_metal_argument a;
    for (size_t i = 0; ingot_metal_function_argument(f, i, &a) == INGOT_OK; i++) {
        print_argument(&a, out);
        print_members(f, i, a.name, out);
    }
}

/* As members of the open object. */
static void json_argument(const ingot_metal_argument *a, cli_json *j)
{
    char dtype[40];
    cli_json_string(j, "name", a->name);
    cli_json_string(j, "kind", kinds[a->kind]);
    cli_json_int(j, "index", a->index);
    if (a->count > 1) cli_json_int(j, "count", a->count);
    if (points(a)) {
        size_t size = strlen(spaces[a->kind]);
        cli_json_text(j, "space", spaces[a->kind], size ? size - 1 : 0);
    }
    cli_json_string(j, "type", a->type);
    if (points(a)) {
        cli_json_int(j, "size", (int64_t)a->size);
        cli_json_int(j, "alignment", (int64_t)a->alignment);
        if (a->dtype.bits) {
            ingot_dtype_print(a->dtype, dtype);
            cli_json_string(j, "dtype", dtype);
        }
        cli_json_bool(j, "reference", a->is_reference);
        cli_json_bool(j, "const", a->is_const);
        cli_json_bool(j, "read", a->is_read);
        cli_json_bool(j, "written", a->is_written);
    }
    if (a->line) {
        cli_json_int(j, "line", a->line);
        cli_json_int(j, "column", a->column);
    }
}

static void json_members(ingot_metal_function *f, size_t argument, cli_json *j)
{
    ingot_metal_member m;
    if (ingot_metal_function_member(f, argument, 0, &m) != INGOT_OK) return;
    cli_json_array(j, "members");
    for (size_t i = 0; ingot_metal_function_member(f, argument, i, &m) == INGOT_OK; i++) {
        cli_json_object(j, NULL);
        json_argument(&m.info, j);
        cli_json_int(j, "offset", (int64_t)m.offset);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static void json_kernel(ingot_metal_function *f, ingot_metal_pipeline *p, cli_json *j)
{
    cli_json_object(j, NULL);
    cli_json_string(j, "name", ingot_metal_function_name(f));
    if (p) {
        cli_json_int(j, "max_total_threads_per_threadgroup", ingot_metal_pipeline_max_total_threads_per_threadgroup(p));
        cli_json_int(j, "thread_execution_width", ingot_metal_pipeline_thread_execution_width(p));
        cli_json_int(j, "static_threadgroup_memory_length",
                     (int64_t)ingot_metal_pipeline_static_threadgroup_memory_length(p));
    }
    cli_json_array(j, "arguments");
    ingot_metal_argument a;
    for (size_t i = 0; ingot_metal_function_argument(f, i, &a) == INGOT_OK; i++) {
        cli_json_object(j, NULL);
        json_argument(&a, j);
        json_members(f, i, j);
        cli_json_end(j);
    }
    cli_json_end(j);
    cli_json_end(j);
}

static void list_constants(const metal_text *t, cli_bytes *text, cli_json *j)
{
    ingot_metal_constant_info c;
    cli_json_array(j, "constants");
    for (size_t i = 0; ingot_metal_library_constant(t->library, i, &c) == INGOT_OK; i++) {
        cli_bytes_print(text, "constant %s %s [[function_constant(%u)]]\n", c.type, c.name, c.index);
        cli_json_object(j, NULL);
        cli_json_string(j, "name", c.name);
        cli_json_int(j, "index", c.index);
        cli_json_string(j, "type", c.type);
        cli_json_end(j);
    }
    cli_json_end(j);
}

static int list(metal_text *t, bool as_json)
{
    cli *c = t->c;
    cli_bytes text = {.pool = &c->pool}, json = {.pool = &c->pool}, why = {.pool = &c->pool};
    cli_json j = {.out = &json};
    cli_json_object(&j, NULL);
    cli_json_string(&j, "file", t->file);
    list_constants(t, &text, &j);
    cli_json_array(&j, "kernels");
    for (size_t i = 0; i < ingot_metal_library_function_count(t->library); i++) {
        ingot_metal_function *f = NULL;
        ingot_metal_pipeline *p = NULL;
        ingot_status s = ingot_metal_function_create(t->library, ingot_metal_library_function_name(t->library, i), NULL, 0,
                                                     &f, &t->error);
        if (s == INGOT_OK && !t->is_metallib) s = ingot_metal_pipeline_create(f, &p, &t->error);
        if (s == INGOT_OK) {
            print_kernel(f, p, &text);
            json_kernel(f, p, &j);
        }
        ingot_metal_pipeline_release(p);
        ingot_metal_function_release(f);
        if (s != INGOT_OK) return cli_library_error(c, NULL, &t->error);
    }
    cli_json_end(&j);
    cli_json_end(&j);
    if (!text.size) cli_bytes_text(&text, "no kernels\n");
    const cli_bytes *out = as_json ? &json : &text;
    if (cli_file_write("-", out->data, out->size, &why)) return CLI_GOOD;
    return cli_error(c, "%s", why.data);
}

static int run_verb(cli *c, const cli_words *words)
{
    const char *file = cli_one_plain(c, words, "a .metal or .metallib file, or - for standard input");
    if (!file) return CLI_USAGE;
    metal_text t = {.c = c};
    int code = metal_text_open(&t, c, words, file);
    if (code == CLI_GOOD) code = list(&t, cli_words_value(words, MSL_LIST_JSON) != NULL);
    metal_text_close(&t);
    return code;
}

const cli_verb cli_verb_msl_list = {
    .name = "msl list",
    .arguments = "[OPTION]... FILE.metal|FILE.metallib|-",
    .summary = "List the kernels of a .metal file or a metallib and what they take.",
    .options = options,
    .run = run_verb,
};
