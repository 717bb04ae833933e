/* Moving memory to another storage scope. */
#ifndef PASS_RESCOPE_H
#define PASS_RESCOPE_H

#include "ir/walk.h"

/* The statement with the memories of these pointers (a map's keys) in scope `to`, views of them included. */
const ir_node *rescope(arena *mem, const ir_node *root, const map *pointers, ir_scope to);

#endif
