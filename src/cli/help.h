/* The help texts, printed from the verbs' tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/verb.h"

/* All verbs; ends with NULL. */
extern const cli_verb *const cli_verbs[];

/* `ingot --help`. */
void cli_help_all(cli_bytes *out);

/* `ingot metallib --help`: the verbs of two words that begin with this one. False where there are none. */
bool cli_help_group(const char *word, cli_bytes *out);

/* True for a verb of two words whose first this is. */
bool cli_verb_begins(const cli_verb *verb, const char *word);

/* `ingot VERB --help`. */
void cli_help_verb(const cli_verb *verb, cli_bytes *out);

#endif
