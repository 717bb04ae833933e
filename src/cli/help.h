/* The help texts, printed from the verbs' tables. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/verb.h"

/* All verbs; ends with NULL. */
extern const cli_verb *const cli_verbs[];

/* `ingot --help`. */
void cli_help_all(cli_bytes *out);

/* `ingot VERB --help`. */
void cli_help_verb(const cli_verb *verb, cli_bytes *out);

#endif
