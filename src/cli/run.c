/* `ingot run`: compiles or loads a program, runs one of its functions, and reports what it wrote.
 */
#include "cli/run.h"

#include "cli/literal.h"
#include "cli/program.h"

#include <stdio.h>
#include <string.h>

static const cli_option options[] = {
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) {ID, LETTER, MANY, NAME, VALUE, HELP},
#include "cli/run_options.def"
#include "cli/run_gpu_options.def"
#include "cli/script_options.def"
#include "cli/verb_options.def"
#undef CLI_OPTION
    {0},
};

static int load_module(run *r, cli_program *p)
{
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (p->module || p->target || p->command)
        return cli_usage(r->c, "%s: a module is compiled already: %s has no use", p->file,
                         p->module   ? "--module"
                         : p->target ? "--target"
                                     : "--metal-compile");
    if (ingot_module_load(p->text.data, p->text.size, NULL, &r->module, &error) == INGOT_OK)
        return CLI_GOOD;
    return cli_library_error(r->c, p->file, &error);
}

static void add_setting(run *r, const char *name, ingot_value value, bool must_fit)
{
    r->settings =
        cli_pool_resize(&r->c->pool, r->settings, (r->setting_count + 1) * sizeof *r->settings);
    r->settings[r->setting_count++] = (run_setting){name, value, must_fit};
}

/* Definitions count as dimensions too; of a module they have no other use. */
static void add_definitions(run *r, const cli_program *p, bool must_fit)
{
    for (size_t i = 0; i < p->definition_count; i++)
        add_setting(r, p->definitions[i].name, p->definitions[i].value, must_fit);
}

static int take_arg(run *r, const char *text)
{
    cli_bytes why = {.pool = &r->c->pool};
    const char *name, *value;
    ingot_value parsed;
    if (!cli_assignment(text, &r->c->pool, &name, &value, &why))
        return cli_usage(r->c, "--arg: %s", why.data);
    if (!cli_literal(value, &r->c->pool, &parsed, &why))
        return cli_usage(r->c, "--arg %s: %s", name, why.data);
    bool scalar = parsed.kind == INGOT_VALUE_BOOL || parsed.kind == INGOT_VALUE_INT ||
                  parsed.kind == INGOT_VALUE_FLOAT;
    if (!scalar) return cli_usage(r->c, "--arg %s: '%s' is no number, True or False", name, value);
    add_setting(r, name, parsed, true);
    return CLI_GOOD;
}

/* "metal:0", "emu". */
static int take_device(run *r, const char *text)
{
    const char *colon = strchr(text, ':');
    uint64_t id = 0;
    if (colon && !cli_parse_count(colon + 1, 0, INT32_MAX, &id))
        return cli_usage(r->c, "--device: '%s' is not of the form KIND or KIND:N", text);
    r->device_kind = colon ? cli_pool_text(&r->c->pool, text, (size_t)(colon - text)) : text;
    r->device_id = (int)id;
    return CLI_GOOD;
}

/* The options that need no module. */
static int read_options(run *r, const cli_words *words)
{
    const char *seed = cli_words_value(words, RUN_SEED),
               *threads = cli_words_value(words, RUN_THREADS);
    const char *device = cli_words_value(words, RUN_DEVICE);
    uint64_t count = 0;
    if (seed && !cli_parse_count(seed, 0, UINT64_MAX, &r->seed))
        return cli_usage(r->c, "--seed: '%s' is no whole number of 64 bits", seed);
    if (threads && !cli_parse_count(threads, 1, 4096, &count))
        return cli_usage(r->c, "--threads: '%s' is no number from 1 to 4096", threads);
    r->threads = (unsigned)count;
    r->timed = cli_words_value(words, RUN_TIME) != NULL;
    r->capture = cli_words_value(words, RUN_CAPTURE);
    r->archive = cli_words_value(words, RUN_ARCHIVE);
    r->engine = cli_words_value(words, RUN_ENGINE);
    int code = device ? take_device(r, device) : CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < words->count; i++) {
        const cli_word *word = &words->items[i];
        if (word->option && word->option->id == RUN_ARG) code = take_arg(r, word->text);
    }
    return code;
}

/* The options that name parameters. */
static int read_buffer_options(run *r, const cli_words *words)
{
    int code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < words->count; i++) {
        const cli_word *word = &words->items[i];
        if (word->option && word->option->id == RUN_IN) code = run_take_in(r, word->text);
        if (word->option && word->option->id == RUN_OUT) code = run_take_out(r, word->text);
    }
    return code;
}

int run_program(run *r, const cli_words *words, const char *file)
{
    cli_program program;
    int code = cli_program_options(r->c, words, &program);
    if (code == CLI_GOOD) code = read_options(r, words);
    if (code == CLI_GOOD) code = cli_program_read(&program, file);
    if (code != CLI_GOOD) return code;
    bool is_module = cli_is_module(&program.text);
    code = is_module ? load_module(r, &program) : cli_program_compile(&program, &r->module);
    add_definitions(r, &program, is_module);
    if (code == CLI_GOOD) code = run_describe(r, cli_words_value(words, RUN_FUNC));
    if (code == CLI_GOOD) code = read_buffer_options(r, words);
    if (code == CLI_GOOD) code = run_bind(r);
    if (code == CLI_GOOD) code = run_fill_buffers(r);
    if (code == CLI_GOOD) code = run_execute(r);
    return code == CLI_GOOD ? run_write_files(r) : code;
}

static int run_verb(cli *c, const cli_words *words)
{
    const char *file =
        cli_one_plain(c, words, "a program: FILE.py, FILE.ingot, or - for standard input");
    if (!file) return CLI_USAGE;
    run r = {.c = c,
             .file = file,
             .dims = {.pool = &c->pool},
             .device_kind = "metal",
             .result = ingot_none()};
    int code = run_program(&r, words, file);
    if (code == CLI_GOOD) code = run_report(&r, cli_words_value(words, RUN_JSON) != NULL);
    run_release(&r);
    return code;
}

const cli_verb cli_verb_run = {
    .name = "run",
    .arguments = "[OPTION]... FILE.py|FILE.ingot|-",
    .summary = "Run a function of a script or module, and report what it wrote.",
    .details = "examples:\n"
               "  ingot run add.py -D n=1024 --in A=arange --out B=b.npy\n"
               "  ingot run scale.ingot --arg x=0.5 --json\n",
    .options = options,
    .run = run_verb,
};
