/* The table of verbs, and the help made from it. */
#include "cli/help.h"

#define CLI_VERB_ENTRY(name) &cli_verb_##name,
const cli_verb *const cli_verbs[] = {CLI_VERBS(CLI_VERB_ENTRY) NULL};
#undef CLI_VERB_ENTRY

void cli_help_all(cli_bytes *out)
{
    cli_bytes_text(out, "ingot: tensor programs in TVMScript to Metal kernels, and a software "
                        "Metal device to run them on\n\n"
                        "usage: ingot COMMAND [OPTION]... [FILE]\n"
                        "       ingot COMMAND --help\n"
                        "       ingot --version\n\ncommands:\n");
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        cli_bytes_print(out, "  %-9s %s\n", (*v)->name, (*v)->summary);
    cli_bytes_text(
        out,
        "  help      Print this help, or that of one command.\n\n"
        "exit codes: 0 good, 1 the input is at fault, 2 the command line is, 3 internal error\n");
}

void cli_help_verb(const cli_verb *verb, cli_bytes *out)
{
    cli_bytes_print(out, "usage: ingot %s %s\n\n%s\n\noptions:\n", verb->name, verb->arguments,
                    verb->summary);
    cli_options_help(verb->options, out);
    if (verb->details) cli_bytes_print(out, "\n%s", verb->details);
}
