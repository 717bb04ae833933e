/* The preprocessor: a text to the tokens that the parser reads. */
#ifndef MSLFRONT_PREPROC_H
#define MSLFRONT_PREPROC_H

#include "base/map.h"
#include "mslfront/lex.h"
#include "mslfront/tree.h"

enum { MF_MACRO_DEPTH = 200, MF_MACRO_TOKENS = 1000000, MF_IF_DEPTH = 200, MF_INCLUDE_DEPTH = 64, MF_INCLUDES = 10000 };

typedef enum mf_special {
    MF_NOT_SPECIAL,
    MF_SPECIAL_LINE,
    MF_SPECIAL_FILE,
    MF_SPECIAL_COUNTER
} mf_special;

struct mf_macro {
    mf_ident *name;
    span at;
    bool function_like, variadic;
    bool busy; /* its body is being read: its name stands for itself */
    mf_special special;
    mf_ident **params; /* a variadic one has __VA_ARGS__ as its last */
    size_t param_count;
    mf_tokens body;
    const char *library_text; /* the body, not read yet; else NULL */
};

/* Where tokens come from: a macro's body or a list, above the file. */
typedef struct mf_frame {
    struct mf_frame *below;
    const mf_token *tokens;
    size_t n, at;
    mf_macro *macro; /* no longer busy when the frame is used up; may be NULL */
    bool floor;      /* nothing below it may be read */
} mf_frame;

typedef struct mf_condition {
    span at;
    bool active, taken, has_else;
} mf_condition;

VEC_DECLARE(mf_conditions, mf_condition)

/* What #line says of the lines that follow, for __LINE__ and __FILE__; messages name the places of the text itself. */
typedef struct mf_numbering {
    uint32_t shift; /* added to a line's number, modulo 2^32 */
    str file;       /* p NULL: the text's own name */
} mf_numbering;

/* A file that is being read while one that it includes is. */
typedef struct mf_including {
    struct mf_including *outer;
    mf_lexer file;
    mf_numbering numbering;
    mf_token ahead;
    bool has_ahead;
} mf_including;

typedef struct mf_preproc {
    uint32_t part_files[MF_PARTS]; /* that parts of the library were read as, or 0 */
    arena *mem;
    source_set *sources;
    diag_list *diags;
    mf_idents *idents;
    mf_lexer file;
    mf_numbering numbering;
    mf_token ahead; /* a token of the file that was read too far */
    bool has_ahead;
    bool stopped; /* a limit was passed: only END comes */
    mf_frame *top;
    const mf_options *options;
    mf_including *including;
    unsigned include_depth, includes;
    map once; /* files that said "#pragma once", by name */
    mf_conditions conditions;
    size_t made;    /* tokens that macros gave */
    unsigned depth; /* of macro arguments being expanded */
    uint32_t counter;
} mf_preproc;

/* All tokens of a file, the last MF_TOK_END. Errors are reported and leave a usable list. */
mf_tokens mf_preprocess(mf_preproc *pp, uint32_t file, const mf_options *options);

/* A macro whose body is `text`, read at its first use. */
mf_macro *mf_library_macro(arena *mem, mf_ident *name, const char *text);

/* Between the preprocessor's files: */

/* The next token of the innermost source, not expanded. */
mf_token mf_pp_raw(mf_preproc *pp);

/* The next token, macros expanded; MF_TOK_END at the end of the innermost floor or file. */
mf_token mf_pp_next(mf_preproc *pp);

/* All of `tokens` expanded, as an argument or a directive needs it. */
mf_tokens mf_pp_expand(mf_preproc *pp, const mf_token *tokens, size_t n);

/* Replaces the macro name `name` (its macro usable); false where it is left alone: a function-like
 * one without "(". */
bool mf_pp_replace(mf_preproc *pp, const mf_token *name);

/* The next token of the file itself, and one given back to it. */
mf_token mf_pp_file(mf_preproc *pp);
void mf_pp_unread(mf_preproc *pp, mf_token t);

void mf_pp_push(mf_preproc *pp, mf_frame frame);

/* Goes on with another file; the one being read follows when it ends. */
void mf_pp_enter_file(mf_preproc *pp, uint32_t file);

/* The rest of the directive's line. */
mf_tokens mf_pp_line(mf_preproc *pp);

/* Obeys the directive after a "#" at the start of a line. Gives a loop pragma as a token, else
 * MF_TOK_END. */
mf_token mf_pp_directive(mf_preproc *pp, mf_token hash);

/* Reports groups that no #endif closes. */
void mf_pp_finish(mf_preproc *pp);

/* Obeys "#pragma" with these words; a loop pragma comes back as a token, else MF_TOK_END. */
mf_token mf_pp_pragma(mf_preproc *pp, mf_tokens words, span at);

/* Whether an #if expression holds; errors are reported and count as false. */
bool mf_pp_condition(mf_preproc *pp, mf_tokens words, span at);

/* Whether the library has a header of that name. */
bool mf_pp_known_header(str name);

/* Tokens of a text that is in no file, all with the given span. */
mf_tokens mf_pp_lex_text(mf_preproc *pp, str text, span at);

#endif
