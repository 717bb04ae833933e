/* `ingot inspect`: says what a file is, and what is in it. */
#include "cli/inspect.h"

#include "cli/file.h"
#include "cli/metallib.h"
#include "cli/program.h"

#include <inttypes.h>
#include <string.h>

#define VERB_OPTIONS "cli/inspect_options.def"
#include "cli/option_table.def"

typedef struct inspection {
    cli *c;
    const char *file;
    cli_bytes bytes;
    const char *kernel, *extract; /* NULL: not asked for */
    bool source, json;
    ingot_module *module; /* NULL: the file is none */
    const char *what;     /* the kind of file, in words */
} inspection;

static int print_bytes(cli *c, const void *data, size_t size)
{
    cli_bytes why = {.pool = &c->pool};
    if (cli_file_write("-", data, size, &why)) return CLI_GOOD;
    return cli_error(c, "%s", why.data);
}

static bool begins(const cli_bytes *bytes, const char *magic)
{
    size_t size = strlen(magic);
    return bytes->size >= size && memcmp(bytes->data, magic, size) == 0;
}

/* Loads the file, if it is a module of either layout. An exit code; a file of another kind is no
 * failure. */
static int load_module(inspection *in)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    in->what = "Ingot module";
    if (cli_is_module(&in->bytes)) {
        if (ingot_module_load(in->bytes.data, in->bytes.size, NULL, &in->module, &error) ==
            INGOT_OK)
            return CLI_GOOD;
        return cli_library_error(in->c, in->file, &error);
    }
    in->what = "device module in TVM's layout";
    if (ingot_module_device_load(in->bytes.data, in->bytes.size, NULL, &in->module, &error) !=
        INGOT_OK)
        in->module = NULL;
    return CLI_GOOD;
}

static int refuse_kernel(inspection *in)
{
    size_t count = ingot_module_kernel_count(in->module), used = 0;
    const char **names = cli_pool_new(&in->c->pool, count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        ingot_kernel_info info;
        if (ingot_module_kernel(in->module, i, &info) == INGOT_OK) names[used++] = info.name;
    }
    const char *near = cli_suggest(in->kernel, names, used);
    if (near)
        return cli_error(in->c, "%s: no kernel '%s'; did you mean '%s'?", in->file, in->kernel,
                         near);
    return cli_error(in->c, "%s: no kernel '%s' among its %zu", in->file, in->kernel, count);
}

static int print_kernel(inspection *in, const ingot_kernel_info *k)
{
    if (in->json) {
        cli_bytes text = {.pool = &in->c->pool};
        cli_json j = {.out = &text};
        cli_json_object(&j, NULL);
        inspect_kernel_json(k, &j);
        if (k->source)
            cli_json_text(&j, "source", k->source, k->source_size);
        else
            cli_json_string(&j, "source", NULL);
        cli_json_end(&j);
        return print_bytes(in->c, text.data, text.size);
    }
    if (in->source) {
        if (k->source) return print_bytes(in->c, k->source, k->source_size);
        return cli_error(in->c, "%s: the source of kernel '%s' is not in the file", in->file,
                         k->name);
    }
    if (memchr(k->payload, '\0', k->payload_size) && cli_file_is_terminal("-"))
        return cli_usage(
            in->c,
            "standard output is a terminal and the payload is no text: use a pipe or a file");
    return print_bytes(in->c, k->payload, k->payload_size);
}

static int inspect_kernel(inspection *in)
{
    for (size_t i = 0; i < ingot_module_kernel_count(in->module); i++) {
        ingot_kernel_info info;
        if (ingot_module_kernel(in->module, i, &info) == INGOT_OK &&
            strcmp(info.name, in->kernel) == 0)
            return print_kernel(in, &info);
    }
    return refuse_kernel(in);
}

static int inspect_source(inspection *in)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_text *text = NULL;
    if (ingot_module_source(in->module, &text, &error) != INGOT_OK)
        return cli_library_error(in->c, in->file, &error);
    int code = print_bytes(in->c, ingot_text_data(text), ingot_text_size(text));
    ingot_text_release(text);
    return code;
}

static int inspect_module(inspection *in)
{
    if (in->extract) return cli_error(in->c, "%s: --extract needs a metallib, and this is %s", in->file, in->what);
    if (in->kernel) return inspect_kernel(in);
    if (in->source && !in->json) return inspect_source(in);
    cli_bytes text = {.pool = &in->c->pool};
    if (in->json) {
        cli_json j = {.out = &text};
        cli_json_object(&j, NULL);
        cli_json_string(&j, "file", in->file);
        cli_json_string(&j, "kind", in->what);
        cli_json_int(&j, "bytes", (int64_t)in->bytes.size);
        inspect_module_json(in->module, &j);
        cli_json_end(&j);
    } else {
        cli_bytes_print(&text, "%s: %s, %zu bytes\n", in->file, in->what, in->bytes.size);
        inspect_module_text(in->module, &text);
    }
    return print_bytes(in->c, text.data, text.size);
}

/* A metallib: its report, or one function of it. */
static int inspect_metallib(inspection *in)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_metallib *library = NULL, *part = NULL;
    if (ingot_metallib_read(in->bytes.data, in->bytes.size, NULL, &library, &error) != INGOT_OK)
        return cli_library_error(in->c, in->file, &error);
    int code;
    cli_bytes text = {.pool = &in->c->pool};
    if (in->extract) {
        ingot_status status = ingot_metallib_select(library, &in->extract, 1, &part, &error);
        code = status == INGOT_OK ? metallib_save(in->c, part, "-") : cli_library_error(in->c, in->file, &error);
    } else if (in->json) {
        cli_json j = {.out = &text};
        cli_json_object(&j, NULL);
        cli_json_string(&j, "file", in->file);
        cli_json_string(&j, "kind", "metallib");
        cli_json_int(&j, "bytes", (int64_t)in->bytes.size);
        metallib_json(library, &j);
        cli_json_end(&j);
        code = print_bytes(in->c, text.data, text.size);
    } else {
        cli_bytes_print(&text, "%s: metallib, ", in->file);
        metallib_print(library, &text);
        code = print_bytes(in->c, text.data, text.size);
    }
    ingot_metallib_release(part);
    ingot_metallib_release(library);
    return code;
}

/* More about a file that is no module: an array's dtype and shape, or what is wrong with it. True
 * where it is whole. */
static bool describe(const inspection *in, cli_bytes *out)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (!begins(&in->bytes, "\x93NUMPY")) return true;
    ingot_array *array = NULL;
    if (ingot_array_parse(in->bytes.data, in->bytes.size, NULL, &array, &error) != INGOT_OK) {
        cli_bytes_text(out, error.message);
        return false;
    }
    char dtype[40];
    ingot_dtype_print(ingot_array_dtype(array), dtype);
    cli_bytes_print(out, "%s[", dtype);
    for (size_t d = 0; d < ingot_array_ndim(array); d++)
        cli_bytes_print(out, "%s%" PRId64, d ? ", " : "", ingot_array_shape(array)[d]);
    cli_bytes_text(out, "]");
    ingot_array_release(array);
    return true;
}

static int inspect_other(inspection *in)
{
    in->what = begins(&in->bytes, "\x93NUMPY") ? "NumPy array"
                                               : ingot_payload_kind(in->bytes.data, in->bytes.size);
    if (in->source || in->kernel)
        return cli_error(in->c, "%s: --source and --kernel need a module, and this is %s", in->file,
                         in->what);
    if (strcmp(in->what, "metallib") == 0) return inspect_metallib(in);
    if (in->extract) return cli_error(in->c, "%s: --extract needs a metallib, and this is %s", in->file, in->what);
    cli_bytes text = {.pool = &in->c->pool}, more = {.pool = &in->c->pool};
    bool whole = describe(in, &more);
    if (in->json) {
        cli_json j = {.out = &text};
        cli_json_object(&j, NULL);
        cli_json_string(&j, "file", in->file);
        cli_json_string(&j, "kind", in->what);
        cli_json_int(&j, "bytes", (int64_t)in->bytes.size);
        cli_json_bool(&j, "ok", whole);
        if (more.size) cli_json_string(&j, "detail", more.data);
        cli_json_end(&j);
    } else {
        cli_bytes_print(&text, "%s: %s, %zu bytes", in->file, in->what, in->bytes.size);
        if (more.size) cli_bytes_print(&text, "%s%s", whole ? ", " : ": ", more.data);
        cli_bytes_text(&text, "\n");
    }
    int code = print_bytes(in->c, text.data, text.size);
    return code == CLI_GOOD && !whole ? CLI_INPUT : code;
}

static int run(cli *c, const cli_words *words)
{
    inspection in = {.c = c, .bytes = {.pool = &c->pool}};
    cli_bytes why = {.pool = &c->pool};
    in.file = cli_one_plain(c, words, "a file, or - for standard input");
    if (!in.file) return CLI_USAGE;
    in.kernel = cli_words_value(words, INSPECT_KERNEL);
    in.extract = cli_words_value(words, INSPECT_EXTRACT);
    in.source = cli_words_value(words, INSPECT_SOURCE) != NULL;
    in.json = cli_words_value(words, INSPECT_JSON) != NULL;
    if (in.json && in.source && !in.kernel)
        return cli_usage(c, "--source prints text: leave --json out, or name a --kernel");
    if (!cli_file_read(in.file, &in.bytes, &why)) return cli_error(c, "%s", why.data);
    int code = load_module(&in);
    if (code == CLI_GOOD) code = in.module ? inspect_module(&in) : inspect_other(&in);
    if (in.module) ingot_module_release(in.module);
    return code;
}

const cli_verb cli_verb_inspect = {
    .name = "inspect",
    .arguments = "[OPTION]... FILE",
    .summary = "Say what a file is: a module and what is in it, a metallib, a kernel's payload.",
    .details = "examples:\n"
               "  ingot inspect add.ingot\n"
               "  ingot inspect add.ingot --kernel main_kernel > main_kernel.metal\n",
    .options = options,
    .run = run,
};
