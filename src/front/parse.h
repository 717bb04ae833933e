/* Python text to syntax trees. */
#ifndef FRONT_PARSE_H
#define FRONT_PARSE_H

#include "front/ast.h"

/* The statements of a whole file. Errors are reported, parsing going on at the next statement; the
 * caller must not use the tree where there were any. */
ast_list parse_module(arena *mem, diag_list *diags, lex_input input);

/* A text that is one expression, such as a quoted shape; NULL where it is none, which is reported.
 */
const ast *parse_expression(arena *mem, diag_list *diags, lex_input input);

#endif
