/* The table of verbs, and the help made from it. */
#include "cli/help.h"

#include <string.h>

#define CLI_VERB_ENTRY(name) &cli_verb_##name,
const cli_verb *const cli_verbs[] = {CLI_VERBS(CLI_VERB_ENTRY) NULL};
#undef CLI_VERB_ENTRY

/* A line a verb; NULL: all verbs, else those of two words that begin with this one. */
static size_t list_verbs(const char *first, cli_bytes *out)
{
    size_t width = strlen("help"), count = 0;
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if (strlen((*v)->name) > width) width = strlen((*v)->name);
    }
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        if (first && !cli_verb_begins(*v, first)) continue;
        cli_bytes_print(out, "  %-*s  %s\n", (int)width, (*v)->name, (*v)->summary);
        count++;
    }
    if (!first) cli_bytes_print(out, "  %-*s  Print this help, or that of one command.\n", (int)width, "help");
    return count;
}

bool cli_verb_begins(const cli_verb *verb, const char *word)
{
    size_t n = strlen(word);
    return strncmp(verb->name, word, n) == 0 && verb->name[n] == ' ';
}

void cli_help_all(cli_bytes *out)
{
    cli_bytes_text(out, "ingot: tensor programs in TVMScript to Metal kernels, and a software "
                        "Metal device to run them on\n\n"
                        "usage: ingot COMMAND [OPTION]... [FILE]\n"
                        "       ingot COMMAND --help\n"
                        "       ingot --version\n\ncommands:\n");
    list_verbs(NULL, out);
    cli_bytes_text(
        out,
        "\nexit codes: 0 good, 1 the input is at fault, 2 the command line is, 3 internal error\n");
}

bool cli_help_group(const char *word, cli_bytes *out)
{
    cli_bytes list = {.pool = out->pool};
    if (list_verbs(word, &list) == 0) return false;
    cli_bytes_print(out, "usage: ingot %s COMMAND [OPTION]... [FILE]\n\ncommands:\n%s", word, list.data);
    return true;
}

void cli_help_verb(const cli_verb *verb, cli_bytes *out)
{
    cli_bytes_print(out, "usage: ingot %s %s\n\n%s\n\noptions:\n", verb->name, verb->arguments,
                    verb->summary);
    cli_options_help(verb->options, out);
    if (verb->details) cli_bytes_print(out, "\n%s", verb->details);
}
