/* Counted string views; the bytes belong to somebody else (an arena, a source text). */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

typedef struct str {
    const char *p;
    size_t n;
} str;

#define STR(literal) ((str){(literal), sizeof(literal) - 1})
/* For printf: "%.*s". */
#define STR_ARG(s) (int)(s).n, (s).p

static inline str str_of(const char *c_string)
{
    return (str){c_string, c_string != NULL ? strlen(c_string) : 0};
}

static inline bool str_eq(str a, str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(str a, const char *c_string)
{
    return str_eq(a, str_of(c_string));
}

bool str_starts(str s, str prefix);
bool str_ends(str s, str suffix);

/* Bytewise order, shorter first where one is a prefix of the other. */
int str_cmp(str a, str b);

/* FNV-1a. */
uint64_t str_hash(str s);

/* A NUL-terminated copy in the arena (the NUL is not counted). */
str str_copy(arena *a, str s);

/* Formats into the arena; NUL-terminated. */
str str_format(arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
