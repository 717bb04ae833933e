/* `ingot check`: runs a program, a module or a kernel with every check, and reports what they found. */
#include "cli/file.h"
#include "cli/msl_run.h"
#include "cli/run.h"

#include <inttypes.h>
#include <string.h>

enum {
    BEFORE = CLI_OPTION_OWN + 299,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/check_options.def"
#undef CLI_OPTION
};

static const cli_option options[] = {
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) {ID, LETTER, MANY, NAME, VALUE, HELP},
#include "cli/check_options.def"
#include "cli/findings_options.def"
#include "cli/msl_launch_options.def"
#include "cli/msl_text_options.def"
#include "cli/run_options.def"
#include "cli/script_options.def"
#include "cli/verb_options.def"
#undef CLI_OPTION
    {0},
};

/* What was found in a script or module. */
static int report(const findings *f, const run *r)
{
    cli *c = f->c;
    cli_bytes out = {.pool = &c->pool}, why = {.pool = &c->pool};
    switch (f->format) {
    case FINDINGS_SARIF: findings_sarif(f, &out); break;
    case FINDINGS_TEXT:
        findings_text(f, false, &out);
        run_print_launches(r, &out);
        if (findings_clean(f)) cli_bytes_text(&out, "no findings\n");
        break;
    case FINDINGS_JSON: {
        cli_json j = {.out = &out};
        cli_json_object(&j, NULL);
        cli_json_string(&j, "file", f->file);
        cli_json_string(&j, "function", r->function);
        run_json_launches(r, &j);
        findings_json(f, &j);
        cli_json_end(&j);
        break;
    }
    }
    if (!cli_file_write("-", out.data, out.size, &why)) return cli_error(c, "%s", why.data);
    return findings_clean(f) ? CLI_GOOD : CLI_INPUT;
}

static int check_program(findings *f, const cli_words *words, const char *file)
{
    cli *c = f->c;
    run r = {.c = c,
             .file = file,
             .dims = {.pool = &c->pool},
             .device_kind = "emu",
             .result = ingot_none(),
             .checker = f->checker,
             .stopped = &f->stopped};
    int code = run_program(&r, words, file);
    const bool refused = f->stopped.status == INGOT_DEVICE || f->stopped.status == INGOT_LIMIT;
    if (code == CLI_GOOD && refused && ingot_checker_count(f->checker) != 0)
        f->stopped.status = INGOT_OK; /* it is among the findings */
    if (code == CLI_GOOD) code = report(f, &r);
    run_release(&r);
    return code;
}

/* Without a grid: what reading alone tells of all kernels. */
static int check_text(findings *f, const cli_words *words, const char *file)
{
    metal_text t = {.c = f->c};
    cli_bytes out = {.pool = &f->c->pool}, why = {.pool = &f->c->pool};
    int code = metal_text_open(&t, f->c, words, file);
    size_t count = ingot_metal_library_function_count(t.library);
    for (size_t i = 0; code == CLI_GOOD && i < count; i++) {
        ingot_metal_function *k = NULL;
        ingot_status s = ingot_metal_function_create(t.library, ingot_metal_library_function_name(t.library, i), NULL, 0, &k,
                                                     &t.error);
        if (s == INGOT_OK) s = ingot_metal_function_check(k, f->checker, &t.error);
        ingot_metal_function_release(k);
        if (s != INGOT_OK) code = cli_library_error(f->c, NULL, &t.error);
    }
    f->file = t.file;
    if (code == CLI_GOOD) {
        cli_json j = {.out = &out};
        if (f->format == FINDINGS_SARIF) findings_sarif(f, &out);
        if (f->format == FINDINGS_TEXT) {
            findings_text(f, false, &out);
            cli_bytes_print(&out, "%zu kernel%s read, none run: give --grid and --threads to run one\n", count,
                            count == 1 ? "" : "s");
        }
        if (f->format == FINDINGS_JSON) {
            cli_json_object(&j, NULL);
            cli_json_string(&j, "file", t.file);
            cli_json_int(&j, "kernels", (int64_t)count);
            findings_json(f, &j);
            cli_json_end(&j);
        }
        if (!cli_file_write("-", out.data, out.size, &why)) code = cli_error(f->c, "%s", why.data);
        else code = findings_clean(f) ? CLI_GOOD : CLI_INPUT;
    }
    metal_text_close(&t);
    return code;
}

static bool ends_with(const char *file, const char *end)
{
    const size_t size = strlen(file), n = strlen(end);
    return size > n && strcmp(file + size - n, end) == 0;
}

/* A metallib is not looked at but run. */
static int check_metal(findings *f, const cli_words *words, const char *file)
{
    if (!cli_words_value(words, MSL_GRID) && ends_with(file, ".metal")) return check_text(f, words, file);
    msl_run r = {.c = f->c, .checked = true, .check_only = true, .find = *f};
    return msl_run_file(&r, f->c, words, file);
}

static bool is_metal(const char *file)
{
    return ends_with(file, ".metal") || ends_with(file, ".metallib");
}

static int run_verb(cli *c, const cli_words *words)
{
    const char *file = cli_one_plain(c, words, "a program: FILE.py, FILE.ingot, FILE.metal or FILE.metallib");
    if (!file) return CLI_USAGE;
    const char *checks = cli_words_value(words, CHECK_CHECKS);
    findings f = {.c = c, .file = file, .target = cli_words_value(words, CHECK_LIMITS)};
    const char *engine = cli_words_value(words, RUN_ENGINE);
    if (engine && strcmp(engine, "vm") != 0)
        return cli_usage(c, "--engine %s: checks are made by the engine vm alone; 'ingot run' and 'ingot msl run' take others", engine);
    int code = findings_open(&f, c, words, checks ? checks : "");
    if (code == CLI_GOOD && f.format == FINDINGS_TEXT && cli_words_value(words, RUN_JSON)) f.format = FINDINGS_JSON;
    if (code == CLI_GOOD) code = is_metal(file) ? check_metal(&f, words, file) : check_program(&f, words, file);
    findings_close(&f);
    return code;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .arguments = "[OPTION]... FILE.py|FILE.ingot|FILE.metal|FILE.metallib",
    .summary = "Run a program or kernel with checks, and report what they find.",
    .details = "exit codes: 0 nothing found, 1 something found or the input is at fault, 2 the\n"
               "command line is, 3 internal error\n\n"
               "examples:\n"
               "  ingot check add.py -D n=1024 --format sarif >findings.sarif\n"
               "  ingot check add.metal --grid 4 --threads 256 --buffer a=random:1024 \\\n"
               "      --buffer b=empty:1024 --buffer n=1024\n",
    .options = options,
    .run = run_verb,
};
