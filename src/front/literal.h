/* The values of Python's literals. */
#ifndef FRONT_LITERAL_H
#define FRONT_LITERAL_H

#include "base/arena.h"
#include "base/str.h"

/* A Python integer. Python's have no bound; what does not fit here is refused by name. */
__extension__ typedef __int128 py_int;

#define PY_INT_MAX ((((((py_int)1) << 126) - 1) * 2) + 1)
#define PY_INT_MIN (-PY_INT_MAX - 1)

/* Decimal digits of `value`, in the arena. */
str py_int_text(arena *mem, py_int value);

typedef struct number_literal {
    bool is_float;
    py_int integer;
    double real;
} number_literal;

/* Reads a number token. NULL, or what is wrong with it. */
const char *literal_number(str text, number_literal *out);

typedef struct string_literal {
    bool is_raw, is_bytes, is_format;
    size_t begin, end; /* of what stands between the quotes, within the token */
} string_literal;

/* Takes prefix and quotes apart. NULL, or what is wrong. The token may be unclosed. */
const char *literal_string_parts(str text, string_literal *out);

/* The characters that `body` (between quotes) stands for. NULL, or what is wrong. */
const char *literal_unescape(arena *mem, str body, const string_literal *how, str *out);

#endif
