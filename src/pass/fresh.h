/* Copies of IR with variables and buffers of their own. */
#ifndef PASS_FRESH_H
#define PASS_FRESH_H

#include "ir/walk.h"

/* A copy of the statement in which everything that it defines is a new variable or buffer of the same
 * name; each identity is defined once in a function, so code that is repeated needs one. The statement
 * itself where it defines nothing. */
const ir_node *fresh_copy(arena *mem, const ir_node *stmt);

#endif
