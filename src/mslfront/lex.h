/* Tokens, identifiers and the raw lexer, below the preprocessor. */
#ifndef MSLFRONT_LEX_H
#define MSLFRONT_LEX_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "base/str.h"
#include "base/vec.h"
#include "mslfront/types.h"

typedef enum mf_token_kind {
    MF_TOK_END,
    MF_TOK_IDENT,
    MF_TOK_NUMBER,
    MF_TOK_STRING,
    MF_TOK_CHAR,
    MF_TOK_UNROLL,  /* a loop pragma: `n` holds the factor as in mf_stmt.unroll */
    MF_TOK_UNKNOWN, /* a byte that begins no token */
#define MF_PUNCT(ID, text)   MF_TOK_##ID,
#define MF_KEYWORD(ID, text) MF_KW_##ID,
#include "mslfront/tokens.def"
#undef MF_PUNCT
#undef MF_KEYWORD
    MF_TOKEN_KINDS
} mf_token_kind;

/* Flags of a token. */
enum {
    MF_AT_SPACE = 1, /* white space before it */
    MF_AT_LINE = 2,  /* the first of its line */
    MF_PAINTED = 4   /* names a macro that must not be expanded again */
};

/* Parts of the library's own text that are read where a text names them. */
typedef enum mf_part { MF_PART_TEXTURES, MF_PART_TENSORS, MF_PART_LOGGING, MF_PART_COPIES, MF_PART_PACKING, MF_PARTS } mf_part;

typedef struct mf_macro mf_macro;

/* A name: equal names are one pointer. What the language itself knows of it is looked up once. */
typedef struct mf_ident {
    str text;
    uint64_t hash;
    mf_token_kind kind;  /* MF_TOK_IDENT or a reserved word */
    int builtin;         /* first row of the library's functions of that name, or -1 */
    const mf_type *type; /* a type the language or the library names so, or NULL */
    bool type_in_metal;  /* it is known in namespace metal only */
    mf_macro *macro;     /* its macro now, or NULL */
} mf_ident;

typedef struct mf_token {
    mf_token_kind kind;
    uint8_t flags;
    span at; /* in the file; for what a macro's body gave, of the macro's use */
    uint32_t n;
    const char *p;   /* the spelling, `n` bytes */
    mf_ident *ident; /* IDENT and reserved words */
} mf_token;

VEC_DECLARE(mf_tokens, mf_token)

/* All names of a text. Zero is empty. */
typedef struct mf_idents {
    mf_ident **slots;
    size_t slot_count, n;
} mf_idents;

mf_ident *mf_intern(arena *mem, mf_idents *set, str name);

typedef struct mf_lexer {
    arena *mem;
    mf_idents *idents;
    diag_list *diags;
    const char *text;
    uint32_t at, end;
    uint32_t file; /* 0: a text without a place in a file */
    bool quiet;    /* in a group that is skipped: nothing is complained about */
} mf_lexer;

/* The next token; MF_TOK_END at the end, again and again. Errors are reported. */
mf_token mf_lex(mf_lexer *x);

static inline str mf_token_text(const mf_token *t)
{
    return (str){t->p, t->kind == MF_TOK_UNROLL ? 0 : t->n};
}

/* "';'", "'while'", "identifier": for messages. */
const char *mf_token_name(mf_token_kind kind);

#endif
