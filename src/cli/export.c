/* `ingot export`: a module as files that others load. */
#include "cli/file.h"
#include "cli/filter.h"
#include "cli/program.h"
#include "ingot/tvm_ffi.h"

#include <stdlib.h>
#include <string.h>

#define VERB_OPTIONS "cli/export_options.def"
#define SHARED_OPTIONS "cli/script_options.def"
#include "cli/option_table.def"

typedef struct exporting {
    cli *c;
    const char *file, *output, *cc;
    bool tvm; /* in TVM's shape */
    ingot_module *module;
} exporting;

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n > m && strcmp(text + n - m, with) == 0;
}

static int write_file(exporting *e, const char *path, const void *data, size_t size)
{
    cli_bytes why = {.pool = &e->c->pool};
    if (!cli_file_write(path, data, size, &why)) return cli_error(e->c, "%s", why.data);
    cli_say(e->c, "%s: %zu bytes", path, size);
    return CLI_GOOD;
}

/* One of the library's texts; the C source in the shape that was asked for. An exit code; release *out after use. */
static int make_text(exporting *e, ingot_export what, ingot_text **out)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_status status = e->tvm ? ingot_module_export_tvm(e->module, out, &error)
                                 : ingot_module_export(e->module, what, out, &error);
    return status == INGOT_OK ? CLI_GOOD : cli_library_error(e->c, e->file, &error);
}

static int write_text(exporting *e, ingot_export what, const char *path)
{
    ingot_text *text = NULL;
    int code = make_text(e, what, &text);
    if (code == CLI_GOOD) code = write_file(e, path, ingot_text_data(text), ingot_text_size(text));
    ingot_text_release(text);
    return code;
}

static int write_sidecar(exporting *e)
{
    cli_bytes path = {.pool = &e->c->pool};
    cli_bytes_print(&path, "%s.json", e->output);
    return write_text(e, INGOT_EXPORT_SIDECAR, path.data);
}

#ifdef __APPLE__
static const bool on_mac = true;
#else
static const bool on_mac = false;
#endif

/* The C source goes to the compiler's standard input. What it builds comes back through a file of its
 * own, so that the output is replaced in one step. */
static int write_library(exporting *e)
{
    const char *environment = getenv("CC");
    const char *cc = e->cc ? e->cc : environment && *environment ? environment : NULL;
    bool is_mac = on_mac || ends(e->output, ".dylib"); /* whose linker is told that tvm-ffi's symbols come later */
    if (is_mac && !on_mac && !cc)
        return cli_usage(e->c, "%s: a .dylib is made on a Mac, of the .c, or by a cross compiler that --cc names", e->output);
    if (!cc) cc = "cc";
    ingot_text *source = NULL;
    int code = make_text(e, INGOT_EXPORT_C, &source);
    if (code != CLI_GOOD) return code;
    cli_bytes command = {.pool = &e->c->pool}, built = {.pool = &e->c->pool},
              why = {.pool = &e->c->pool};
    cli_bytes_print(&command,
                    "t=$(mktemp) || exit 1; trap 'rm -f \"$t\"' EXIT; "
                    "%s -x c -O1 -shared -fPIC%s -o \"$t\" - -lpthread -ldl -lm && cat \"$t\"",
                    cc, is_mac ? " -undefined dynamic_lookup" : "");
    bool good = cli_filter(command.data, ingot_text_data(source), ingot_text_size(source), &built,
                           &why);
    ingot_text_release(source);
    if (!good)
        return cli_error(e->c, "the C compiler '%s' %s; an output that ends in .c needs none", cc,
                         why.data);
    return write_file(e, e->output, built.data, built.size);
}

static int write_metallib(exporting *e)
{
    ingot_text *bytes = NULL;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    int code = CLI_GOOD;
    if (ingot_module_export_metallib(e->module, &bytes, &error) != INGOT_OK) code = cli_library_error(e->c, e->file, &error);
    if (code == CLI_GOOD) code = write_file(e, e->output, ingot_text_data(bytes), ingot_text_size(bytes));
    ingot_text_release(bytes);
    return code;
}

static int write_output(exporting *e)
{
    const char *to = e->output;
    bool is_source = ends(to, ".c"), is_library = ends(to, ".so") || ends(to, ".dylib");
    if (e->tvm && !is_source && !is_library)
        return cli_usage(e->c, "--tvm is for a library or its source, not for %s", to);
    if (is_source) return write_text(e, INGOT_EXPORT_C, to);
    if (ends(to, ".json")) return write_text(e, INGOT_EXPORT_SIDECAR, to);
    if (is_library) return write_library(e);
    bool text = ends(to, ".metal");
    if (!text && !ends(to, ".metallib"))
        return cli_usage(e->c, "%s: the ending says what to write: .so, .dylib, .c, .metal, .metallib or .json", to);
    int code = text ? write_text(e, INGOT_EXPORT_METAL, to) : write_metallib(e);
    return code == CLI_GOOD ? write_sidecar(e) : code;
}

static int load(exporting *e, const cli_words *words)
{
    cli_program program;
    int code = cli_program_options(e->c, words, &program);
    if (code == CLI_GOOD) code = cli_program_read(&program, e->file);
    if (code != CLI_GOOD) return code;
    if (!cli_is_module(&program.text)) return cli_program_compile(&program, &e->module);
    if (program.definition_count || program.module || program.target || program.command)
        return cli_usage(e->c, "%s: a module is compiled already: options for scripts have no use",
                         e->file);
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (ingot_module_load(program.text.data, program.text.size, NULL, &e->module, &error) == INGOT_OK)
        return CLI_GOOD;
    return cli_library_error(e->c, e->file, &error);
}

static int run(cli *c, const cli_words *words)
{
    exporting e = {.c = c,
                   .output = cli_words_value(words, EXPORT_OUTPUT),
                   .cc = cli_words_value(words, EXPORT_CC),
                   .tvm = cli_words_value(words, EXPORT_TVM) != NULL};
    e.file = cli_one_plain(c, words, "a module or script: FILE.ingot, FILE.py, or - for standard input");
    if (!e.file) return CLI_USAGE;
    if (!e.output) return cli_usage(c, "no output: -o FILE says what to write");
    int code = load(&e, words);
    if (code == CLI_GOOD) code = write_output(&e);
    ingot_module_release(e.module);
    return code;
}

const cli_verb cli_verb_export = {
    .name = "export",
    .arguments = "[OPTION]... -o OUTPUT FILE.ingot|FILE.py|-",
    .summary = "Write a module as a library, a C source or Metal files for others.",
    .details = "examples:\n"
               "  ingot export add.ingot -o add.so\n"
               "  ingot export add.py -D n=1024 -o add.metal\n",
    .options = options,
    .run = run,
};
