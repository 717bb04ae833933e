/* `ingot metallib extract`, `link` and `strip`: metallibs made from others. */
#include "cli/metallib.h"

#define VERB_OPTIONS "cli/metallib_make_options.def"
#include "cli/option_table.def"

/* Writes what a call made, or reports why it made nothing. */
static int finish(cli *c, const cli_words *words, const char *about, ingot_status status, const ingot_error *error,
                  ingot_metallib *made)
{
    if (status != INGOT_OK) return cli_library_error(c, about, error);
    int code = metallib_save(c, made, cli_words_value(words, METALLIB_OUTPUT));
    ingot_metallib_release(made);
    return code;
}

static const char **wanted(cli *c, const cli_words *words, size_t *count)
{
    const char **names = cli_pool_new(&c->pool, words->count + 1, sizeof *names);
    *count = 0;
    for (size_t i = 0; i < words->count; i++) {
        const cli_option *option = words->items[i].option;
        if (option && option->id == METALLIB_FUNCTION) names[(*count)++] = words->items[i].text;
    }
    return names;
}

static int run_extract(cli *c, const cli_words *words)
{
    const char *name = cli_one_plain(c, words, "a metallib, or - for standard input");
    if (!name) return CLI_USAGE;
    size_t count = 0;
    const char **names = wanted(c, words, &count), *slice = cli_words_value(words, METALLIB_SLICE);
    if (count == 0 && !slice) return cli_usage(c, "what of it? Give --function NAME, or --slice N of a fat binary");
    metallib_file file;
    int code = metallib_open(c, name, slice, &file);
    if (code != CLI_GOOD) return code;
    if (count == 0) {
        code = metallib_save(c, file.library, cli_words_value(words, METALLIB_OUTPUT));
    } else {
        ingot_error error = {INGOT_OK, 0, 0, ""};
        ingot_metallib *part = NULL;
        ingot_status status = ingot_metallib_select(file.library, names, count, &part, &error);
        code = finish(c, words, name, status, &error, part);
    }
    ingot_metallib_release(file.library);
    return code;
}

static int run_link(cli *c, const cli_words *words)
{
    size_t count = 0;
    while (cli_words_plain(words, count)) count++;
    if (count == 0) return cli_usage(c, "which files? Name at least one metallib");
    if (cli_words_value(words, METALLIB_FUNCTION)) return cli_usage(c, "--function belongs to extract: link takes all of them");
    ingot_metallib **libraries = cli_pool_new(&c->pool, count, sizeof *libraries);
    int code = CLI_GOOD;
    size_t open = 0;
    for (; open < count && code == CLI_GOOD; open++) {
        metallib_file file;
        code = metallib_open(c, cli_words_plain(words, open), cli_words_value(words, METALLIB_SLICE), &file);
        libraries[open] = file.library;
    }
    if (code == CLI_GOOD) {
        ingot_error error = {INGOT_OK, 0, 0, ""};
        ingot_metallib *joined = NULL;
        ingot_status status = ingot_metallib_join((const ingot_metallib *const *)libraries, count, &joined, &error);
        code = finish(c, words, NULL, status, &error, joined);
    }
    for (size_t i = 0; i < open; i++) ingot_metallib_release(libraries[i]);
    return code;
}

static int run_strip(cli *c, const cli_words *words)
{
    const char *name = cli_one_plain(c, words, "a metallib, or - for standard input");
    if (!name) return CLI_USAGE;
    if (cli_words_value(words, METALLIB_FUNCTION)) return cli_usage(c, "--function belongs to extract: strip keeps all of them");
    metallib_file file;
    int code = metallib_open(c, name, cli_words_value(words, METALLIB_SLICE), &file);
    if (code != CLI_GOOD) return code;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_metallib *bare = NULL;
    ingot_status status = ingot_metallib_strip(file.library, &bare, &error);
    code = finish(c, words, name, status, &error, bare);
    ingot_metallib_release(file.library);
    return code;
}

const cli_verb cli_verb_metallib_extract = {
    .name = "metallib extract",
    .arguments = "[OPTION]... FILE",
    .summary = "Make a metallib of some functions of another, or take a slice of a fat binary.",
    .details = "example:\n  ingot metallib extract all.metallib --function add -o add.metallib\n",
    .options = options,
    .run = run_extract,
};

const cli_verb cli_verb_metallib_link = {
    .name = "metallib link",
    .arguments = "[OPTION]... FILE...",
    .summary = "Make one metallib of several.",
    .details = "They must be of one platform, file type and format, and no two functions may\n"
               "have one name.\n",
    .options = options,
    .run = run_link,
};

const cli_verb cli_verb_metallib_strip = {
    .name = "metallib strip",
    .arguments = "[OPTION]... FILE",
    .summary = "Leave archives of sources and paths of files out of a metallib.",
    .details = "Debug information inside the code stays.\n",
    .options = options,
    .run = run_strip,
};
