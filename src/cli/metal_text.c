/* Reads a .metal file and its headers, and compiles it for the software Metal device. */
#include "cli/metal_text.h"

#include "cli/file.h"

#include <string.h>

/* ---- Options -------------------------------------------------------------------------------- */

static void add_define(metal_text *t, const char *text)
{
    size_t n = t->define_count++;
    const char *equals = strchr(text, '=');
    t->defines = cli_pool_resize(&t->c->pool, t->defines, (n + 1) * sizeof *t->defines);
    t->defines[n].name =
        equals ? cli_pool_text(&t->c->pool, text, (size_t)(equals - text)) : text;
    t->defines[n].value = equals ? equals + 1 : "1";
}

static void add_folder(metal_text *t, const char *text)
{
    t->folders =
        cli_pool_resize(&t->c->pool, t->folders, (t->folder_count + 1) * sizeof *t->folders);
    t->folders[t->folder_count++] = text;
}

/* "metal3.1", "3.1", "macos-metal2.3". */
static int take_version(metal_text *t, const char *text)
{
    const char *at = strstr(text, "metal");
    at = at ? at + 5 : text;
    bool good = at[0] >= '2' && at[0] <= '4' && at[1] == '.' && at[2] >= '0' && at[2] <= '9' && !at[3];
    if (good) t->version = (unsigned)(at[0] - '0') * 100 + (unsigned)(at[2] - '0') * 10;
    if (!good || t->version > 400)
        return cli_usage(t->c, "--std: '%s' is no version from metal2.0 to metal4.0", text);
    return CLI_GOOD;
}

static int take_math(metal_text *t, const char *text)
{
    static const char *const names[] = {"safe", "relaxed", "fast"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(names[i], text) != 0) continue;
        t->math = (ingot_metal_math_mode)(INGOT_METAL_MATH_SAFE + i);
        return CLI_GOOD;
    }
    return cli_usage(t->c, "--math is safe, relaxed or fast, not '%s'", text);
}

static int read_options(metal_text *t, const cli_words *words)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < words->count; i++) {
        const cli_word *w = &words->items[i];
        if (!w->option) continue;
        if (w->option->id == CLI_OPTION_DEFINE) add_define(t, w->text);
        if (w->option->id == MSL_INCLUDE) add_folder(t, w->text);
        if (w->option->id == MSL_STD) code = take_version(t, w->text);
        if (w->option->id == MSL_MATH) code = take_math(t, w->text);
    }
    return code;
}

/* ---- Headers -------------------------------------------------------------------------------- */

static bool try_header(metal_text *t, const char *folder, size_t size, const char *name, cli_bytes *path,
                       cli_bytes *text)
{
    cli_bytes why = {.pool = &t->c->pool};
    *path = (cli_bytes){.pool = &t->c->pool};
    *text = (cli_bytes){.pool = &t->c->pool};
    cli_bytes_put(path, folder, size);
    if (size && folder[size - 1] != '/') cli_bytes_text(path, "/");
    cli_bytes_text(path, name);
    return cli_file_read(path->data, text, &why);
}

/* "name": beside the file that asks, then in the folders of -I; <name>: in those alone. */
static int find_header(void *user, const char *name, const char *from, int angled, const char **path,
                       const char **text, size_t *size)
{
    metal_text *t = user;
    cli_bytes where, bytes;
    const char *slash = strrchr(from, '/');
    bool found = false;
    if (name[0] == '/') found = try_header(t, "", 0, name, &where, &bytes);
    else if (!angled) found = try_header(t, from, slash ? (size_t)(slash - from) : 0, name, &where, &bytes);
    for (size_t i = 0; !found && i < t->folder_count; i++)
        found = try_header(t, t->folders[i], strlen(t->folders[i]), name, &where, &bytes);
    if (!found) return 0;
    *path = where.data;
    *text = bytes.data ? bytes.data : "";
    *size = bytes.size;
    return 1;
}

/* ---- Compiling ------------------------------------------------------------------------------ */

static void on_diagnostic(void *user, const ingot_diagnostic *d)
{
    metal_text *t = user;
    if (t->quiet) return;
    if (d->severity == INGOT_SEVERITY_ERROR) t->said = true;
    cli_message(t->c, d->text);
}

/* By its first bytes. */
static bool is_metallib(const cli_bytes *b)
{
    return b->size >= 4 && memcmp(b->data, "MTLB", 4) == 0;
}

static ingot_status read_library(metal_text *t, const ingot_metal_library_options *o)
{
    if (t->is_metallib) return ingot_metal_library_create_with_data(t->device, t->bytes.data, t->bytes.size, &t->library, &t->error);
    return ingot_metal_library_create(t->device, t->bytes.data ? t->bytes.data : "", t->bytes.size, o, &t->library, &t->error);
}

int metal_text_open(metal_text *t, cli *c, const cli_words *words, const char *file)
{
    t->c = c;
    t->file = strcmp(file, "-") == 0 ? "<stdin>" : file;
    t->bytes = (cli_bytes){.pool = &c->pool};
    cli_bytes why = {.pool = &c->pool};
    int code = read_options(t, words);
    if (code != CLI_GOOD) return code;
    if (!cli_file_read(file, &t->bytes, &why)) return cli_error(c, "%s", why.data);
    t->is_metallib = is_metallib(&t->bytes);
    if (t->is_metallib && (t->define_count || t->folder_count || t->version || t->math != INGOT_METAL_MATH_DEFAULT))
        return cli_usage(c, "%s is a metallib: it was compiled already, and -D, -I, --std and --math are of MSL text", t->file);
    ingot_metal_library_options o = INGOT_METAL_LIBRARY_OPTIONS_INIT;
    o.file_name = t->file;
    o.version = t->version;
    o.math_mode = t->math;
    o.defines = t->defines;
    o.define_count = t->define_count;
    o.include = find_header;
    o.include_user = t;
    o.on_diagnostic = on_diagnostic;
    o.user = t;
    o.colour = c->colour;
    ingot_status status = ingot_metal_device_create(0, NULL, &t->device, &t->error);
    double began = cli_seconds();
    if (status == INGOT_OK) status = read_library(t, &o);
    if (status == INGOT_OK) {
        cli_say(c, t->is_metallib ? "read %s in %.3f ms" : "compiled %s in %.3f ms", t->file, (cli_seconds() - began) * 1e3);
        return CLI_GOOD;
    }
    if (t->said || t->quiet) return status == INGOT_INTERNAL ? CLI_INTERNAL : CLI_INPUT;
    return cli_library_error(c, NULL, &t->error);
}

void metal_text_close(metal_text *t)
{
    ingot_metal_library_release(t->library);
    ingot_metal_device_release(t->device);
}
