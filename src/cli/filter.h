/* A shell command as a filter: bytes in, bytes out. */
#ifndef CLI_FILTER_H
#define CLI_FILTER_H

#include "cli/bytes.h"

#include <stdbool.h>

/* More than this from one command is refused. */
#define CLI_FILTER_MOST ((size_t)256 << 20)

/* Runs `sh -c COMMAND` with `in` as its standard input, and appends what it writes to standard
 * output to `out`. Its standard error is ours. A command that leaves its input unread is fine.
 * False where it cannot be started, writes too much, or ends with another status than 0; *why is
 * then a whole clause ("ended with status 3"). */
bool cli_filter(const char *command, const void *in, size_t in_size, cli_bytes *out,
                cli_bytes *why);

#endif
