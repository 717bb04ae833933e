/* The words of a command line, read by a verb's table of options. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/bytes.h"

#include <stdbool.h>

/* One row of a verb's table. The parser, the help text and the completion all read it. */
typedef struct cli_option {
    int id;
    char letter;       /* "-o"; 0: none */
    bool many;         /* may stand more than once */
    const char *name;  /* "--output"; NULL: none */
    const char *value; /* how the help calls its value; NULL: a flag; "[=X]": a flag that may take one behind "=" */
    const char *help;
} cli_option;

/* Ids of the options that every verb has; those of a verb that compiles scripts and a verb's own
 * follow. */
enum {
    CLI_OPTION_NONE,
#define CLI_OPTION(ID, LETTER, MANY, NAME, VALUE, HELP) ID,
#include "cli/verb_options.def"
#undef CLI_OPTION
    CLI_OPTION_PROGRAM = 50,
    CLI_OPTION_OWN = 100
};

/* An option as it was given, or (option NULL) a word that is none. */
typedef struct cli_word {
    const cli_option *option;
    const char *text; /* the value; NULL for a flag */
} cli_word;

typedef struct cli_words {
    cli_word *items;
    size_t count;
} cli_words;

/* Splits `args`: "-x", "-xVALUE", "-x VALUE", "--name", "--name=VALUE", "--name VALUE"; "--" ends
 * the options and "-" is an ordinary word. False with a whole sentence in *why for an unknown
 * option (with the nearest known one), a missing or needless value, or an option given twice. */
bool cli_options_parse(const cli_option *table, char **args, cli_pool *pool, cli_words *out,
                       cli_bytes *why);

/* The value of the option; NULL where it was not given ("" for a flag that was). */
const char *cli_words_value(const cli_words *words, int id);

/* The n-th word that is no option; NULL past the end. */
const char *cli_words_plain(const cli_words *words, size_t n);

/* The table's help, one option a paragraph, wrapped. A table ends with a row of zeros. */
void cli_options_help(const cli_option *table, cli_bytes *out);

/* The nearest of `names` to `word`, if it is near enough to have been meant; else NULL. */
const char *cli_suggest(const char *word, const char *const *names, size_t count);

#endif
