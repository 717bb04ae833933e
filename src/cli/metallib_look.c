/* `ingot metallib ls`, `info` and `verify`: what is in a metallib, and whether it is whole. */
#include "cli/file.h"
#include "cli/metallib.h"

#include <string.h>

#define VERB_OPTIONS "cli/metallib_look_options.def"
#include "cli/option_table.def"

static const cli_option only_shared[] = {
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) {ID, LETTER, MANY, NAME, VALUE, HELP},
#include "cli/verb_options.def"
#undef CLI_OPTION
    {0},
};

static int print(cli *c, const cli_bytes *text)
{
    cli_bytes why = {.pool = &c->pool};
    if (cli_file_write("-", text->data ? text->data : "", text->size, &why)) return CLI_GOOD;
    return cli_error(c, "%s", why.data);
}

/* "kernel  add  2768 bytes" a line, or a JSON array of names. */
static void list(const ingot_metallib *library, bool json, cli_bytes *out)
{
    cli_json j = {.out = out};
    ingot_metallib_function f;
    if (json) cli_json_array(&j, NULL);
    for (size_t i = 0; ingot_metallib_function_at(library, i, &f) == INGOT_OK; i++) {
        if (json) {
            cli_json_string(&j, NULL, f.name);
        } else {
            cli_bytes_print(out, "%-12s %s  %zu bytes\n", f.type, f.name, f.module_size);
        }
    }
    if (json) cli_json_end(&j);
}

static int look(cli *c, const cli_words *words, bool all)
{
    const char *name = cli_one_plain(c, words, "a metallib, or - for standard input");
    if (!name) return CLI_USAGE;
    metallib_file file;
    int code = metallib_open(c, name, cli_words_value(words, METALLIB_SLICE), &file);
    if (code != CLI_GOOD) return code;
    cli_bytes text = {.pool = &c->pool};
    bool json = cli_words_value(words, METALLIB_JSON) != NULL;
    if (!all) {
        list(file.library, json, &text);
    } else if (json) {
        cli_json j = {.out = &text};
        cli_json_object(&j, NULL);
        cli_json_string(&j, "file", name);
        metallib_json(file.library, &j);
        cli_json_end(&j);
    } else {
        metallib_print(file.library, &text);
    }
    code = print(c, &text);
    ingot_metallib_release(file.library);
    return code;
}

static int run_ls(cli *c, const cli_words *words)
{
    return look(c, words, false);
}

static int run_info(cli *c, const cli_words *words)
{
    return look(c, words, true);
}

/* One file: its line of the report. */
static int verify(cli *c, const char *name, cli_bytes *out)
{
    metallib_file file;
    int code = metallib_open(c, name, NULL, &file);
    if (code != CLI_GOOD) return code;
    ingot_metallib_info info;
    ingot_metallib_describe(file.library, &info);
    cli_bytes_print(out, "%s: good, %zu function%s, all hashes right\n", name, info.function_count,
                    info.function_count == 1 ? "" : "s");
    ingot_metallib_release(file.library);
    return CLI_GOOD;
}

static int run_verify(cli *c, const cli_words *words)
{
    if (!cli_words_plain(words, 0)) return cli_usage(c, "which files? Name at least one metallib");
    int worst = CLI_GOOD;
    cli_bytes text = {.pool = &c->pool};
    for (size_t i = 0; cli_words_plain(words, i); i++) {
        int code = verify(c, cli_words_plain(words, i), &text);
        if (code > worst) worst = code;
    }
    int code = print(c, &text);
    return code > worst ? code : worst;
}

const cli_verb cli_verb_metallib_ls = {
    .name = "metallib ls",
    .arguments = "[OPTION]... FILE",
    .summary = "List the functions of a metallib.",
    .options = options,
    .run = run_ls,
};

const cli_verb cli_verb_metallib_info = {
    .name = "metallib info",
    .arguments = "[OPTION]... FILE",
    .summary = "Say all that a metallib tells of itself: versions, hashes, function constants.",
    .options = options,
    .run = run_info,
};

const cli_verb cli_verb_metallib_verify = {
    .name = "metallib verify",
    .arguments = "[OPTION]... FILE...",
    .summary = "Check sizes, offsets, tags and hashes of metallibs.",
    .details = "The code inside is not looked at. Exit code 1 where a file is not right.\n",
    .options = only_shared,
    .run = run_verify,
};
