/* A reader of JSON texts (RFC 8259) into a tree in an arena; small, strict, bounded in depth. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/str.h"

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json {
    json_kind kind;
    str key;  /* of a member of an object */
    str text; /* of a string (unescaped, UTF-8), or of a number as written */
    bool truth;
    struct json *first, *next; /* children; the next sibling */
    size_t at;                 /* byte offset in the text */
} json;

/* The tree, or NULL with *error (a sentence) and *error_at (a byte offset) set. */
const json *json_parse(arena *mem, str text, const char **error, size_t *error_at);

/* The member of an object by key, or NULL. */
const json *json_member(const json *object, const char *key);

/* A number without fraction or exponent that fits; false otherwise. */
bool json_int(const json *value, int64_t *out);

#endif
