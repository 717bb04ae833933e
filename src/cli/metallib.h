/* What the verbs of `ingot metallib` share: reading a library from a file, writing one, and its report. */
#ifndef CLI_METALLIB_H
#define CLI_METALLIB_H

#include "cli/json.h"
#include "cli/verb.h"

/* A file that was read: a metallib, or one slice of a fat binary. */
typedef struct metallib_file {
    const char *name;
    cli_bytes bytes;
    ingot_metallib *library; /* release it */
    size_t slices;           /* of a fat binary; 0: a plain file */
} metallib_file;

/* Reads the file. Of a fat binary it takes slice `slice` ("2"), or where that is NULL the only one that holds a
 * metallib. An exit code; a failure is reported. */
int metallib_open(cli *c, const char *name, const char *slice, metallib_file *out);

/* Writes the library to where -o says. An exit code. */
int metallib_save(cli *c, const ingot_metallib *library, const char *path);

/* All that is known of it. */
void metallib_print(const ingot_metallib *library, cli_bytes *out);
/* The same as the members of an object that is open. */
void metallib_json(const ingot_metallib *library, cli_json *out);

#endif
