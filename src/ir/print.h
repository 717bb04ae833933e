/* IR as TVMScript text, which the front end reads again. */
#ifndef IR_PRINT_H
#define IR_PRINT_H

#include "base/buf.h"
#include "ir/ir.h"

/* The whole module: imports, class, functions. Names are made unique in each function, so printing
 * what was read from the text gives the same text. Works after every pass; `mem` is for scratch. */
void ir_print_module(arena *mem, const ir_module *m, buf *out);

/* One function with its decorator; one statement or expression by itself, for messages and
 * debugging. */
void ir_print_func(arena *mem, const ir_func *f, buf *out);
void ir_print_stmt(arena *mem, const ir_node *n, buf *out);
void ir_print_expr(arena *mem, const ir_node *n, buf *out);

#endif
