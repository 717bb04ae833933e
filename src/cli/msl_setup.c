/* Which kernel is run, and how it is launched. */
#include "cli/literal.h"
#include "cli/msl_run.h"
#include "cli/run.h"

#include <inttypes.h>
#include <string.h>

/* ---- The kernel ----------------------------------------------------------------------------- */

static int take_constant(msl_run *r, const char *text, ingot_metal_constant *out)
{
    cli_bytes why = {.pool = &r->c->pool};
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) return cli_usage(r->c, "--constant: '%s' is not of the form I=VALUE", text);
    char *name = cli_pool_text(&r->c->pool, text, (size_t)(equals - text));
    uint64_t index;
    *out = (ingot_metal_constant){.name = name};
    if (cli_parse_count(name, 0, UINT32_MAX, &index)) {
        out->name = NULL;
        out->index = (uint32_t)index;
    }
    const char *word = equals + 1; /* MSL's own words beside Python's */
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        out->value = ingot_bool(word[0] == 't');
        return CLI_GOOD;
    }
    if (!cli_literal(word, &r->c->pool, &out->value, &why))
        return cli_usage(r->c, "--constant %s: %s", name, why.data);
    bool number = out->value.kind == INGOT_VALUE_BOOL || out->value.kind == INGOT_VALUE_INT ||
                  out->value.kind == INGOT_VALUE_FLOAT;
    return number ? CLI_GOOD : cli_usage(r->c, "--constant %s: '%s' is no number, true or false", name, word);
}

static int no_kernel(msl_run *r, const char *name)
{
    const ingot_metal_library *l = r->text.library;
    size_t count = ingot_metal_library_function_count(l);
    const char **names = cli_pool_new(&r->c->pool, count + 1, sizeof *names);
    cli_bytes list = {.pool = &r->c->pool};
    for (size_t i = 0; i < count; i++) {
        names[i] = ingot_metal_library_function_name(l, i);
        if (i < 20) cli_bytes_print(&list, "%s'%s'", i ? ", " : "", names[i]);
    }
    if (count > 20) cli_bytes_print(&list, " and %zu more", count - 20);
    if (count == 0) return cli_error(r->c, "%s has no kernel", r->text.file);
    if (!name) return cli_usage(r->c, "%s has %zu kernels: choose with --kernel: %s", r->text.file, count, list.data);
    const char *near = cli_suggest(name, names, count);
    if (near) return cli_usage(r->c, "%s has no kernel '%s'; did you mean '%s'?", r->text.file, name, near);
    return cli_usage(r->c, "%s has no kernel '%s'; there is %s", r->text.file, name, list.data);
}

int msl_choose(msl_run *r, const cli_words *words)
{
    const char *name = cli_words_value(words, MSL_KERNEL);
    const ingot_metal_library *l = r->text.library;
    size_t count = ingot_metal_library_function_count(l), constants = 0;
    bool found = false;
    if (!name && count == 1) name = ingot_metal_library_function_name(l, 0);
    for (size_t i = 0; name && !found && i < count; i++)
        found = strcmp(ingot_metal_library_function_name(l, i), name) == 0;
    if (!found) return no_kernel(r, name);
    ingot_metal_constant *given = cli_pool_new(&r->c->pool, words->count + 1, sizeof *given);
    for (size_t i = 0; i < words->count; i++) {
        const cli_word *w = &words->items[i];
        if (!w->option || w->option->id != MSL_CONSTANT) continue;
        int code = take_constant(r, w->text, &given[constants++]);
        if (code != CLI_GOOD) return code;
    }
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_status status = ingot_metal_function_create(r->text.library, name, given, constants, &r->function, &error);
    if (status == INGOT_OK) status = ingot_metal_pipeline_create(r->function, &r->pipeline, &error);
    if (status == INGOT_NOT_FOUND || status == INGOT_TYPE) return cli_usage(r->c, "--constant: %s", error.message);
    if (status != INGOT_OK) return cli_library_error(r->c, NULL, &error);
    msl_describe(r);
    return CLI_GOOD;
}

/* ---- The launch ----------------------------------------------------------------------------- */

/* "8", "8,4", "8,4,2"; as sizes of buffers are written, "8x4", too. */
static int take_size(msl_run *r, const char *option, const char *text, uint32_t out[3])
{
    if (!text) return cli_usage(r->c, "'%s' needs --%s X[,Y,Z]", r->c->verb->name, option);
    const char *at = text;
    out[1] = out[2] = 1;
    for (int d = 0; d < 3; d++) {
        size_t size = strcspn(at, ",x");
        uint64_t value;
        if (!cli_parse_count(cli_pool_text(&r->c->pool, at, size), 0, UINT32_MAX, &value)) break;
        out[d] = (uint32_t)value;
        at += size;
        if (!*at) return CLI_GOOD;
        at++;
    }
    return cli_usage(r->c, "--%s: '%s' is not one, two or three whole numbers with commas between", option, text);
}

/* "@I" or "@I:OFFSET": the grid is three 32-bit words of a buffer, read when the kernel is launched. */
static int take_indirect(msl_run *r, const char *text)
{
    const char *colon = strchr(text, ':'), *none;
    uint64_t offset = 0;
    char *name = cli_pool_text(&r->c->pool, text + 1, colon ? (size_t)(colon - text) - 1 : strlen(text + 1));
    if (colon && !cli_parse_count(colon + 1, 0, UINT32_MAX, &offset))
        return cli_usage(r->c, "--grid: '%s' is not of the form @I:OFFSET", text);
    r->grid_in = msl_find_buffer(r, "grid", name, &none);
    r->grid_offset = (size_t)offset;
    return r->grid_in ? CLI_GOOD : CLI_USAGE;
}

/* The threadgroup argument that "I=BYTES" means, by index or name. False after a message. */
static bool find_memory(msl_run *r, const char *text, ingot_metal_argument *out, const char **value)
{
    const char *equals = strchr(text, '=');
    char *name = cli_pool_text(&r->c->pool, text, equals ? (size_t)(equals - text) : strlen(text));
    *value = equals ? equals + 1 : NULL;
    uint64_t index;
    bool by_index = cli_parse_count(name, 0, UINT32_MAX, &index);
    cli_bytes list = {.pool = &r->c->pool};
    for (size_t i = 0; ingot_metal_function_argument(r->function, i, out) == INGOT_OK; i++) {
        if (out->kind != INGOT_METAL_ARGUMENT_THREADGROUP) continue;
        if (by_index ? out->index == index : strcmp(out->name, name) == 0) return true;
        cli_bytes_print(&list, "%s%u ('%s')", list.size ? ", " : "", out->index, out->name);
    }
    cli_usage(r->c, "--threadgroup-mem %s: kernel '%s' has no such threadgroup memory; there is %s", name,
              ingot_metal_function_name(r->function), list.size ? list.data : "none");
    return false;
}

static int take_length(msl_run *r, const char *text)
{
    ingot_metal_argument a;
    const char *value;
    uint64_t bytes;
    if (!find_memory(r, text, &a, &value)) return CLI_USAGE;
    if (!value || !cli_parse_count(value, 0, UINT32_MAX, &bytes) || bytes % 16 != 0)
        return cli_usage(r->c, "--threadgroup-mem: '%s' is not of the form I=BYTES with a multiple of 16", text);
    r->lengths[a.index] = (size_t)bytes;
    return CLI_GOOD;
}

int msl_geometry(msl_run *r, const cli_words *words)
{
    const char *seed = cli_words_value(words, MSL_SEED);
    const char *threads = cli_words_value(words, MSL_THREADS);
    if (!threads) threads = cli_words_value(words, RUN_THREADS); /* `ingot check` has one option for both */
    if (!seed) seed = cli_words_value(words, RUN_SEED);
    const char *grid = cli_words_value(words, MSL_GRID);
    int code = grid && *grid == '@' ? take_indirect(r, grid) : take_size(r, "grid", grid, r->grid);
    if (code == CLI_GOOD) code = take_size(r, "threads", threads, r->threads);
    if (code != CLI_GOOD) return code;
    r->by_threads = cli_words_value(words, MSL_DISPATCH) != NULL;
    if (r->by_threads && r->grid_in) return cli_usage(r->c, "--dispatch-threads: a grid that is read from a buffer counts threadgroups");
    if (seed && !cli_parse_count(seed, 0, UINT64_MAX, &r->seed))
        return cli_usage(r->c, "--seed: '%s' is no whole number of 64 bits", seed);
    for (size_t i = 0; code == CLI_GOOD && i < words->count; i++) {
        const cli_word *w = &words->items[i];
        if (w->option && w->option->id == MSL_MEMORY) code = take_length(r, w->text);
    }
    size_t count = ingot_metal_function_argument_count(r->function);
    for (size_t i = 0; code == CLI_GOOD && i < count && !r->checked; i++) {
        ingot_metal_argument a;
        if (ingot_metal_function_argument(r->function, i, &a) != INGOT_OK) continue;
        if (a.kind == INGOT_METAL_ARGUMENT_THREADGROUP && (a.is_read || a.is_written) && !r->lengths[a.index])
            code = cli_usage(r->c, "threadgroup memory '%s' has no length: --threadgroup-mem %s=BYTES", a.name, a.name);
    }
    return code;
}

/* ---- The slots ------------------------------------------------------------------------------ */

static int take_once(msl_run *r, const cli_word *w, const char *name, const char *value, const char **at)
{
    if (!value || !*value)
        return cli_usage(r->c, "--%s: '%s' is not of the form %s", w->option->name, w->text, w->option->value);
    if (*at) return cli_usage(r->c, "--%s: '%s' is given twice", w->option->name, name);
    *at = value;
    return CLI_GOOD;
}

static int take_buffer_option(msl_run *r, const cli_word *w)
{
    const char *value;
    msl_buffer *b = msl_find_buffer(r, w->option->name, w->text, &value);
    if (!b) return CLI_USAGE;
    if (w->option->id != MSL_PRINT) return take_once(r, w, b->info.name, value, w->option->id == MSL_BUFFER ? &b->what : &b->out);
    b->print_all = true;
    return CLI_GOOD;
}

static int take_slot(msl_run *r, const cli_word *w)
{
    const char *value;
    if (w->option->id == MSL_TEXTURE || w->option->id == MSL_TEXTURE_OUT) {
        msl_texture *t = msl_find_texture(r, w->option->name, w->text, &value);
        return t ? take_once(r, w, t->info.name, value, w->option->id == MSL_TEXTURE ? &t->what : &t->out) : CLI_USAGE;
    }
    if (w->option->id == MSL_SAMPLER) {
        msl_sampler *s = msl_find_sampler(r, w->option->name, w->text, &value);
        return s ? take_once(r, w, s->info.name, value, &s->what) : CLI_USAGE;
    }
    bool buffer = w->option->id == MSL_BUFFER || w->option->id == MSL_OUT || w->option->id == RUN_OUT || w->option->id == MSL_PRINT;
    return buffer ? take_buffer_option(r, w) : CLI_GOOD;
}

/* What the kernel cannot do without. */
static int check_given(msl_run *r)
{
    for (size_t i = 0; i < r->buffer_count; i++) {
        const msl_buffer *b = &r->buffers[i];
        bool used = b->info.is_read || b->info.is_written || b->info.is_reference;
        if (b->what || !used || (r->checked && !b->out)) continue; /* a check reports it as missing */
        if (b->at.of && !b->out) continue;                         /* it stays 0, a null pointer */
        return cli_usage(r->c, "kernel '%s' needs %s %s '%s' at [[buffer(%u)]]: --buffer %s=WHAT",
                         ingot_metal_function_name(r->function),
                         b->info.kind == INGOT_METAL_ARGUMENT_CONSTANT ? "constant" : "device", b->info.type, b->info.name,
                         b->info.index, b->info.name);
    }
    for (size_t i = 0; i < r->texture_count; i++) {
        const msl_texture *t = &r->textures[i];
        if (t->what || (t->at.of && !t->out)) continue;
        return cli_usage(r->c, "kernel '%s' needs a %s '%s': --texture %s=WHAT", ingot_metal_function_name(r->function), t->info.type,
                         t->info.name, t->info.name);
    }
    return CLI_GOOD;
}

int msl_take_slots(msl_run *r, const cli_words *words)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < words->count; i++) {
        if (words->items[i].option) code = take_slot(r, &words->items[i]);
    }
    msl_need_structures(r);
    return code == CLI_GOOD ? check_given(r) : code;
}

/* ---- Messages --------------------------------------------------------------------------------- */

static void drop_message(void *user, const ingot_metal_log_message *m)
{
    (void)user;
    (void)m;
}

int msl_logging(msl_run *r, const cli_words *words)
{
    r->log = (ingot_metal_log_options)INGOT_METAL_LOG_OPTIONS_INIT;
    const char *text = cli_words_value(words, MSL_LOG);
    if (!text) return CLI_GOOD;
    const char *comma = strchr(text, ',');
    const char *word = comma ? cli_pool_text(&r->c->pool, text, (size_t)(comma - text)) : text;
    uint64_t bytes = 0;
    if (comma && !cli_parse_count(comma + 1, 1, (uint64_t)1 << 30, &bytes))
        return cli_usage(r->c, "--log %s: '%s' is no number of bytes from 1 to 1 GiB", text, comma + 1);
    r->log.buffer_size = (size_t)bytes;
    if (strcmp(word, "none") == 0) {
        r->log.on_message = drop_message;
        return CLI_GOOD;
    }
    for (int level = INGOT_METAL_LOG_DEBUG; level <= INGOT_METAL_LOG_FAULT; level++) {
        r->log.level = (ingot_metal_log_level)level;
        if (strcmp(word, ingot_metal_log_level_name(r->log.level)) == 0) return CLI_GOOD;
    }
    return cli_usage(r->c, "--log: '%s' is none of debug, info, notice, error, fault, none", word);
}
