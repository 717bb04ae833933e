/* `ingot metallib build`: MSL text to a metallib. */
#include "cli/file.h"
#include "cli/verb.h"

#include <stdlib.h>
#include <string.h>

#define VERB_OPTIONS "cli/metallib_build_options.def"
#include "cli/option_table.def"

/* "metal3.1" as 310; 0 for what is no language. */
static unsigned language_of(const char *text)
{
    static const char *const names[] = {"metal2.3", "metal2.4", "metal3.0", "metal3.1", "metal3.2"};
    static const unsigned numbers[] = {230, 240, 300, 310, 320};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(names[i], text) == 0) return numbers[i];
    return 0;
}

/* "14" and "14.0" are one version. */
static void deployment(const char *system, const char *version, cli_bytes *out)
{
    cli_bytes_print(out, "%s%s%s", system, version, strchr(version, '.') ? "" : ".0");
}

static int run(cli *c, const cli_words *words)
{
    const char *name = cli_one_plain(c, words, "an MSL text, or - for standard input");
    if (!name) return CLI_USAGE;
    const char *out = cli_words_value(words, BUILD_OUTPUT), *std = cli_words_value(words, BUILD_STD);
    const char *macos = cli_words_value(words, BUILD_MACOS), *ios = cli_words_value(words, BUILD_IOS);
    if (!out) return cli_usage(c, "where to? Give -o FILE, or -o - for standard output");
    if (macos && ios) return cli_usage(c, "--macos and --ios: a metallib is for one system");
    ingot_metallib_build_options o = INGOT_METALLIB_BUILD_OPTIONS_INIT;
    cli_bytes text = {.pool = &c->pool}, why = {.pool = &c->pool}, target = {.pool = &c->pool};
    if (macos || ios) {
        deployment(macos ? "macos" : "ios", macos ? macos : ios, &target);
        o.deployment = target.data;
    }
    if (std) {
        o.language = language_of(std);
        if (o.language == 0) return cli_usage(c, "--std is metal2.3, metal2.4, metal3.0, metal3.1 or metal3.2, not '%s'", std);
    }
    o.file_name = strcmp(name, "-") == 0 ? "<stdin>" : name;
    o.precise = cli_words_value(words, BUILD_PRECISE) != NULL;
    if (strcmp(out, "-") == 0 && cli_file_is_terminal("-"))
        return cli_usage(c, "standard output is a terminal and a metallib is no text: use a pipe or a file");
    if (!cli_file_read(name, &text, &why)) return cli_error(c, "%s", why.data);
    ingot_text *library = NULL;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (ingot_metallib_build(text.data ? text.data : "", text.size, &o, &library, &error) != INGOT_OK)
        return cli_library_error(c, NULL, &error);
    const bool written = cli_file_write(out, ingot_text_data(library), ingot_text_size(library), &why);
    ingot_text_release(library);
    return written ? CLI_GOOD : cli_error(c, "%s", why.data);
}

const cli_verb cli_verb_metallib_build = {
    .name = "metallib build",
    .arguments = "[OPTION]... FILE.metal",
    .summary = "Compile the kernels of an MSL text to a metallib, without Apple's tools.",
    .details = "The same text gives the same bytes. Apple's own compiler has not been seen to\n"
               "accept such a file: docs/air.md says what was checked, and tools/mac-load-check\n"
               "asks a Mac. This needs the AIR component, libingot-air.\n"
               "\n"
               "examples:\n"
               "  ingot metallib build add.metal -o add.metallib\n"
               "  ingot metallib build add.metal -o add.metallib --ios 17.0 --std metal3.0\n",
    .options = options,
    .run = run,
};
