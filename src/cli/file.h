/* Whole files in and out. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include "cli/bytes.h"

#include <stdbool.h>

/* Appends the file ("-": standard input) to `out`. False with "PATH: cause" in *why. */
bool cli_file_read(const char *path, cli_bytes *out, cli_bytes *why);

/* Makes the file hold exactly these bytes ("-": writes them to standard output). A regular file is
 * written under another name beside it and renamed, so that there is always the old file, the new
 * one or none, also after Ctrl-C. False with "PATH: cause" in *why, and nothing is left behind. */
bool cli_file_write(const char *path, const void *data, size_t size, cli_bytes *why);

/* Makes the folder, where it is not there yet. */
bool cli_folder_make(const char *path, cli_bytes *why);

/* True where both name one existing file (by whatever path). */
bool cli_file_is_same(const char *a, const char *b);

/* True for "-" with standard output a terminal: no place for bytes that are no text. */
bool cli_file_is_terminal(const char *path);

#endif
