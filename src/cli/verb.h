/* A verb of the command ("compile", "msl run"), and what all verbs share. */
#ifndef CLI_VERB_H
#define CLI_VERB_H

#include "cli/options.h"
#include "cli/progress.h"
#include "ingot/ingot.h"

/* Exit codes. */
enum {
    CLI_GOOD = 0,
    CLI_INPUT = 1, /* the user's input is at fault */
    CLI_USAGE = 2, /* the command line is */
    CLI_INTERNAL = 3
};

/* One run of the command. */
typedef struct cli {
    cli_pool pool;
    const struct cli_verb *verb;
    bool colour; /* on standard error */
    bool verbose;
    cli_progress progress;
} cli;

/* A verb: one file, which exports one of these. */
typedef struct cli_verb {
    const char *name;                           /* one or two words */
    const char *arguments;                      /* for the usage line */
    const char *summary;                        /* one line */
    const char *details;                        /* paragraphs that end the help; NULL: none */
    const cli_option *options;                  /* ends with a row of zeros */
    int (*run)(cli *c, const cli_words *words); /* an exit code */
} cli_verb;

/* The verbs, in the order in which the help shows them: all of main.c's table. */
#define CLI_VERBS(X)                                                                               \
    X(compile)                                                                                     \
    X(run)                                                                                         \
    X(check)                                                                                       \
    X(msl_run)                                                                                     \
    X(msl_list)                                                                                    \
    X(inspect)                                                                                     \
    X(export)                                                                                      \
    X(devices)                                                                                     \
    X(metallib_ls)                                                                                 \
    X(metallib_info)                                                                               \
    X(metallib_verify)                                                                             \
    X(metallib_build)                                                                              \
    X(metallib_extract)                                                                            \
    X(metallib_link)                                                                               \
    X(metallib_strip)                                                                              \
    X(air_dis)
#define CLI_VERB_DECLARE(name) extern const cli_verb cli_verb_##name;
CLI_VERBS(CLI_VERB_DECLARE)
#undef CLI_VERB_DECLARE

/* "ingot: error: ..." on standard error; returns CLI_INPUT. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_error(cli *c, const char *format, ...);

/* The same for a wrong command line, with where to find help; returns CLI_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int cli_usage(cli *c, const char *format, ...);

/* The same for an error of the library; returns CLI_INPUT, or CLI_INTERNAL where the fault is
 * Ingot's. `about` (may be NULL) is put before the message: a file's name. */
int cli_library_error(cli *c, const char *about, const ingot_error *error);

/* A line on standard error where --verbose was given. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void cli_say(cli *c, const char *format, ...);

/* A text as it is on standard error, between progress lines; a line end is added where it lacks
 * one. */
void cli_message(cli *c, const char *text);

/* The one word that the verb takes (its file), or NULL after a message about none or too many. */
const char *cli_one_plain(cli *c, const cli_words *words, const char *what);

/* A whole number from `low` to `high`; false where the text is anything else. */
bool cli_parse_count(const char *text, uint64_t low, uint64_t high, uint64_t *out);

/* Seconds of a clock that only goes forward. */
double cli_seconds(void);

#endif
