/* `ingot compile`: a script to a module file, or to one of the texts on the way. */
#include "cli/file.h"
#include "cli/program.h"

#include <stdio.h>
#include <string.h>

#define VERB_OPTIONS "cli/compile_options.def"
#define SHARED_OPTIONS "cli/script_options.def"
#include "cli/option_table.def"

/* What --emit takes: EMIT_KIND(name, what, bytes that are no text) */
#define EMIT_KINDS(EMIT_KIND)                                                                      \
    EMIT_KIND("tir", INGOT_EMIT_TIR, false)                                                        \
    EMIT_KIND("lowered", INGOT_EMIT_LOWERED, false)                                                \
    EMIT_KIND("metal", INGOT_EMIT_METAL, false)                                                    \
    EMIT_KIND("tvm-metal", INGOT_EMIT_TVM_METAL, true)

typedef struct emit_kind {
    const char *name;
    ingot_emit what;
    bool binary;
} emit_kind;

static const emit_kind emit_kinds[] = {
#define EMIT_KIND(NAME, WHAT, BINARY) {NAME, WHAT, BINARY},
    EMIT_KINDS(EMIT_KIND)
#undef EMIT_KIND
};
enum { EMIT_KIND_COUNT = sizeof emit_kinds / sizeof emit_kinds[0] };

typedef struct job {
    cli *c;
    cli_program program;
    const char *output;    /* NULL: not given */
    const emit_kind *emit; /* NULL: a module */
    const char *dump;      /* the folder; NULL: none */
    int dump_code;         /* of the first dump that could not be written */
    cli_json *json;        /* NULL: no report */
} job;

static const emit_kind *find_emit(const char *name)
{
    for (size_t i = 0; i < EMIT_KIND_COUNT; i++) {
        if (strcmp(emit_kinds[i].name, name) == 0) return &emit_kinds[i];
    }
    return NULL;
}

static int refuse_emit(cli *c, const char *name)
{
    const char *names[EMIT_KIND_COUNT];
    for (size_t i = 0; i < EMIT_KIND_COUNT; i++) names[i] = emit_kinds[i].name;
    const char *near = cli_suggest(name, names, EMIT_KIND_COUNT);
    if (near) return cli_usage(c, "--emit: unknown '%s'; did you mean '%s'?", name, near);
    return cli_usage(c, "--emit: unknown '%s'; it is tir, lowered, metal or tvm-metal", name);
}

static void dump_pass(void *user, unsigned index, const char *pass, const char *text, size_t size)
{
    job *j = user;
    cli_bytes path = {.pool = &j->c->pool}, why = {.pool = &j->c->pool};
    cli_progress_label(&j->c->progress, pass);
    cli_bytes_print(&path, "%s/%02u_%s.py", j->dump, index, pass);
    if (j->dump_code == CLI_GOOD && !cli_file_write(path.data, text, size, &why))
        j->dump_code = cli_error(j->c, "%s", why.data);
    cli_pool_drop(&j->c->pool, path.data);
}

/* "dir/x.py" gives "x.ingot". */
static const char *default_output(cli *c, const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    int size = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    cli_bytes out = {.pool = &c->pool};
    cli_bytes_print(&out, "%.*s.ingot", size, name);
    return out.data;
}

static int write_output(job *j, const char *path, const ingot_text *text, bool binary)
{
    cli_bytes why = {.pool = &j->c->pool};
    size_t size = ingot_text_size(text);
    if (binary && cli_file_is_terminal(path))
        return cli_usage(
            j->c, "standard output is a terminal and this is no text: use -o FILE or a pipe");
    if (!cli_file_write(path, ingot_text_data(text), size, &why))
        return cli_error(j->c, "%s", why.data);
    cli_say(j->c, "wrote %s: %zu bytes", strcmp(path, "-") == 0 ? "standard output" : path, size);
    if (j->json) {
        cli_json_string(j->json, "output", path);
        cli_json_int(j->json, "bytes", (int64_t)size);
    }
    return CLI_GOOD;
}

static int emit_text(job *j)
{
    ingot_text *text = NULL;
    int code = cli_program_emit(&j->program, j->emit->what, &text);
    if (j->json) cli_json_end(j->json); /* the diagnostics */
    if (code == CLI_GOOD) code = j->dump_code;
    if (code == CLI_GOOD)
        code = write_output(j, j->output ? j->output : "-", text, j->emit->binary);
    ingot_text_release(text);
    return code;
}

static void report_module(job *j, const ingot_module *module)
{
    size_t kernels = ingot_module_kernel_count(module);
    cli_say(j->c, "%zu kernel%s, format %s%s", kernels, kernels == 1 ? "" : "s",
            ingot_module_format(module), ingot_module_is_fallback(module) ? ", codegen only" : "");
    if (!j->json) return;
    cli_json_string(j->json, "format", ingot_module_format(module));
    cli_json_bool(j->json, "fallback", ingot_module_is_fallback(module) != 0);
    cli_json_array(j->json, "kernels");
    for (size_t i = 0; i < kernels; i++) {
        ingot_kernel_info info;
        if (ingot_module_kernel(module, i, &info) == INGOT_OK)
            cli_json_string(j->json, NULL, info.name);
    }
    cli_json_end(j->json);
}

static int build_module(job *j, const char *file)
{
    ingot_module *module = NULL;
    ingot_text *text = NULL;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    int code = cli_program_compile(&j->program, &module);
    if (j->json) cli_json_end(j->json); /* the diagnostics */
    if (code == CLI_GOOD) code = j->dump_code;
    if (code == CLI_GOOD && ingot_module_save(module, &text, &error) != INGOT_OK)
        code = cli_library_error(j->c, file, &error);
    if (code == CLI_GOOD)
        code = write_output(j, j->output ? j->output : default_output(j->c, file), text, true);
    if (code == CLI_GOOD) report_module(j, module);
    ingot_text_release(text);
    ingot_module_release(module);
    return code;
}

/* Reads the verb's own options. An exit code. */
static int read_options(job *j, const cli_words *words, const char *file)
{
    int code = cli_program_options(j->c, words, &j->program);
    if (code != CLI_GOOD) return code;
    const char *emit = cli_words_value(words, COMPILE_EMIT);
    j->output = cli_words_value(words, COMPILE_OUTPUT);
    j->emit = emit ? find_emit(emit) : NULL;
    if (emit && !j->emit) return refuse_emit(j->c, emit);
    if (j->output && !*j->output) return cli_usage(j->c, "--output: the file's name is empty");
    if (j->output && cli_file_is_same(j->output, file))
        return cli_usage(j->c, "--output: '%s' is the script itself", file);
    if (!j->output && !emit && strcmp(file, "-") == 0)
        return cli_usage(j->c, "a script from standard input needs -o FILE or --emit");
    j->program.verify = cli_words_value(words, COMPILE_VERIFY) != NULL;
    j->dump = cli_words_value(words, COMPILE_DUMP);
    if (j->dump) {
        j->program.on_pass = dump_pass;
        j->program.on_pass_user = j;
    }
    bool to_stdout = j->output ? strcmp(j->output, "-") == 0 : emit != NULL;
    if (cli_words_value(words, COMPILE_JSON) && to_stdout)
        return cli_usage(
            j->c, "--json reports on standard output: send the result elsewhere with -o FILE");
    return CLI_GOOD;
}

static int run(cli *c, const cli_words *words)
{
    const char *file = cli_one_plain(c, words, "a script: FILE.py, or - for standard input");
    if (!file) return CLI_USAGE;
    job j = {.c = c};
    int code = read_options(&j, words, file);
    if (code != CLI_GOOD) return code;
    code = cli_program_read(&j.program, file);
    if (code != CLI_GOOD) return code;
    if (cli_is_module(&j.program.text)) return cli_error(c, "%s: this is a module already", file);
    cli_bytes why = {.pool = &c->pool}, text = {.pool = &c->pool};
    if (j.dump && !cli_folder_make(j.dump, &why)) return cli_error(c, "%s", why.data);
    cli_json json = {.out = &text};
    if (cli_words_value(words, COMPILE_JSON)) {
        j.json = j.program.diagnostics = &json;
        cli_json_object(&json, NULL);
        cli_json_string(&json, "file", file);
        cli_json_array(&json, "diagnostics");
    }
    code = j.emit ? emit_text(&j) : build_module(&j, file);
    if (!j.json) return code;
    cli_json_bool(&json, "ok", code == CLI_GOOD);
    cli_json_end(&json);
    if (cli_file_write("-", text.data, text.size, &why)) return code;
    return cli_error(c, "%s", why.data);
}

const cli_verb cli_verb_compile = {
    .name = "compile",
    .arguments = "[OPTION]... FILE.py|-",
    .summary = "Compile a script to a module file, or to one of the texts on the way.",
    .details = "examples:\n"
               "  ingot compile add.py -D n=1024 -o add.ingot\n"
               "  ingot compile add.py --emit metal\n"
               "  ingot compile add.py --metal-compile './to_metallib' -o add.ingot\n",
    .options = options,
    .run = run,
};
