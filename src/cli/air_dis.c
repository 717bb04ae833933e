/* `ingot air dis`: the LLVM text of a metallib, and its functions' signatures. */
#include "cli/file.h"
#include "cli/verb.h"

#include <string.h>

#define VERB_OPTIONS "cli/air_dis_options.def"
#include "cli/option_table.def"

/* FILE, or FILE:KERNEL where no file is named so. */
static bool read_input(cli *c, const char *word, cli_bytes *bytes, const char **kernel, cli_bytes *why)
{
    const char *colon = strrchr(word, ':');
    if (cli_file_read(word, bytes, why)) return true;
    if (colon == NULL || colon[1] == '\0') return false;
    cli_bytes file = {.pool = &c->pool};
    cli_bytes again = {.pool = &c->pool};
    cli_bytes_print(&file, "%.*s", (int)(colon - word), word);
    if (!cli_file_read(file.data, bytes, &again)) return false;
    *kernel = colon + 1;
    return true;
}

static int run(cli *c, const cli_words *words)
{
    const char *word = cli_one_plain(c, words, "a metallib, FILE or FILE:KERNEL");
    if (!word) return CLI_USAGE;
    cli_bytes bytes = {.pool = &c->pool}, why = {.pool = &c->pool};
    const char *kernel = NULL, *out = cli_words_value(words, AIR_DIS_OUTPUT);
    if (!read_input(c, word, &bytes, &kernel, &why)) return cli_error(c, "%s", why.data);
    ingot_text *text = NULL;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    if (ingot_air_disassemble(bytes.data, bytes.size, kernel, &text, &error) != INGOT_OK)
        return cli_library_error(c, word, &error);
    const bool written = cli_file_write(out ? out : "-", ingot_text_data(text), ingot_text_size(text), &why);
    ingot_text_release(text);
    return written ? CLI_GOOD : cli_error(c, "%s", why.data);
}

const cli_verb cli_verb_air_dis = {
    .name = "air dis",
    .arguments = "[OPTION]... FILE[:KERNEL]",
    .summary = "Print the AIR of a metallib as LLVM text.",
    .details = "Before each function's module stands its signature as the air.* metadata gives\n"
               "it. The file is checked first and LLVM reads it in a process of its own, so that\n"
               "a damaged file is an error. This needs the AIR component, libingot-air.\n"
               "\n"
               "examples:\n"
               "  ingot air dis lib.metallib\n"
               "  ingot air dis lib.metallib:rms_norm -o rms_norm.ll\n",
    .options = options,
    .run = run,
};
