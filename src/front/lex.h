/* Tokens of Python text: indentation, line joining, strings, numbers. */
#ifndef FRONT_LEX_H
#define FRONT_LEX_H

#include "base/diag.h"
#include "base/vec.h"

typedef enum token_kind {
#define TOKEN_CLASS(KIND, text) TOKEN_##KIND,
#define TOKEN_WORD(KIND, text)  TOKEN_##KIND,
#define TOKEN_SIGN(KIND, text)  TOKEN_##KIND,
#include "front/tokens.def"
#undef TOKEN_CLASS
#undef TOKEN_WORD
#undef TOKEN_SIGN
    TOKEN_COUNT
} token_kind;

typedef struct token {
    token_kind kind;
    span at;
    str text; /* as written; strings with prefix and quotes */
} token;

VEC_DECLARE(token_vec, token)

/* A text to be read. Tokens point into `file` from `offset` on; with `fixed` all of them carry that
 * span instead, for text that stands nowhere as it is read. */
typedef struct lex_input {
    str text;
    uint32_t file, offset;
    bool is_fixed;
    span fixed;
    bool inside; /* within brackets already: ends of lines mean nothing */
} lex_input;

/* All tokens, an END last. What is wrong is reported; the tokens are usable all the same. */
token_vec lex(arena *mem, diag_list *diags, lex_input input);

/* A kind as messages name it: "'+='", "end of line". */
const char *token_name(token_kind kind);

/* The character's length in bytes if `text` begins with one of well-formed UTF-8, else 0. */
size_t lex_utf8(str text);

#endif
