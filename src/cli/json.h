/* A writer of indented JSON. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "cli/bytes.h"

#include <stdbool.h>
#include <stdint.h>

enum { CLI_JSON_DEEPEST = 16 };

typedef struct cli_json {
    cli_bytes *out;
    int depth;
    char close[CLI_JSON_DEEPEST]; /* what ends each open level */
    bool some[CLI_JSON_DEEPEST];  /* the level holds something already */
    bool flat;                    /* the innermost level is written on one line */
} cli_json;

/* Each value takes the key that it stands under; NULL inside an array and for the outermost value. */
void cli_json_object(cli_json *j, const char *key);
void cli_json_array(cli_json *j, const char *key);
/* An array on one line. */
void cli_json_row(cli_json *j, const char *key);
/* Ends the innermost object or array; the outermost one with a line end. */
void cli_json_end(cli_json *j);

/* A text: what is no UTF-8 in it becomes U+FFFD. */
void cli_json_text(cli_json *j, const char *key, const char *text, size_t size);
void cli_json_string(cli_json *j, const char *key, const char *text); /* NULL: null */
void cli_json_int(cli_json *j, const char *key, int64_t value);
void cli_json_bool(cli_json *j, const char *key, bool value);
/* A number as it is printed already; "inf", "-inf" and "nan", which JSON lacks, become strings. */
void cli_json_number(cli_json *j, const char *key, const char *printed);

#endif
