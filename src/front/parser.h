/* What the files of the parser share: the token cursor, errors, and the entry points to each other.
 */
#ifndef FRONT_PARSER_H
#define FRONT_PARSER_H

#include "front/parse.h"

/* Levels of recursion while parsing, and levels of a finished expression (long sums are deep
 * trees). */
enum { PARSE_DEPTH = 200, AST_HEIGHT = 400 };

typedef struct parser {
    arena *mem;
    diag_list *diags;
    token_vec tokens;
    size_t at;
    bool failed; /* the statement at hand is lost: the cursor shows END until parser_recover */
    int depth;
} parser;

#define ast_make(p, KIND, name, where, levels, ...)                                                \
    parser_keep((p),                                                                               \
                arena_copy((p)->mem,                                                               \
                           &(const ast_##name){                                                    \
                               .node = {.kind = AST_##KIND, .height = (levels), .at = (where)},    \
                               __VA_ARGS__},                                                       \
                           sizeof(ast_##name)))

/* The node made, unless it is too high: then the statement fails. */
const ast *parser_keep(parser *p, const void *node);

/* The next token; END while the statement has failed. */
token parser_peek(const parser *p);
token parser_peek_after(const parser *p, size_t ahead);
bool parser_is(const parser *p, token_kind kind);
/* Takes the next token. */
token parser_take(parser *p);
/* Takes it if it is of that kind. */
bool parser_accept(parser *p, token_kind kind);
/* Takes it, or reports "expected X" and fails. */
token parser_expect(parser *p, token_kind kind);
/* Reports and fails, once a statement. */
void parser_fail(parser *p, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "expected <what>, found <token>". */
void parser_expected(parser *p, const char *what);
/* False, and failed, where recursion goes too deep; else pair with parser_leave. */
bool parser_enter(parser *p);
void parser_leave(parser *p);

/* The span from `begin` to the last token taken. */
span parser_since(const parser *p, span begin);

/* One expression; no tuple without brackets. */
const ast *parse_expr(parser *p);
/* Expressions separated by commas: a tuple if there is a comma. */
const ast *parse_expr_list(parser *p);
/* An assignment target or loop variables: no operators with 'in'. */
const ast *parse_target_list(parser *p);
/* Parameters up to (and not including) `close`; with annotations unless of a lambda. */
ast_list parse_params(parser *p, token_kind close, bool annotated);
/* A string literal or several side by side; f-strings come apart (string.c). */
const ast *parse_strings(parser *p);

static inline unsigned ast_higher(unsigned a, unsigned b)
{
    return a > b ? a : b;
}
unsigned ast_list_height(ast_list list);

#endif
