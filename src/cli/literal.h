/* "NAME=VALUE" as Python would read the value. */
#ifndef CLI_LITERAL_H
#define CLI_LITERAL_H

#include "cli/bytes.h"
#include "ingot/ingot.h"

#include <stdbool.h>

/* Splits NAME=VALUE at the first '='. False with a sentence in *why where there is none or NAME is
 * no identifier. */
bool cli_assignment(const char *text, cli_pool *pool, const char **name, const char **value,
                    cli_bytes *why);

/* Reads None, True, False, whole and real numbers (also inf and nan), 'text' or "text" in quotes,
 * a bare word, and tuples of all these. What it points to lives in the pool. False with a sentence
 * in *why. */
bool cli_literal(const char *text, cli_pool *pool, ingot_value *out, cli_bytes *why);

#endif
