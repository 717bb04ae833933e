/* Searching for jumps. */
#include "pass/jumps.h"

#include "ir/walk.h"

typedef struct own_search {
    ir_walk w;
    bool found;
} own_search;

static void find_own(ir_walk *w, const ir_node *n)
{
    own_search *s = (own_search *)(void *)w;
    if (!ir_is_stmt(n) || n->kind == IR_FOR || n->kind == IR_WHILE) return;
    s->found |= n->kind == IR_BREAK || n->kind == IR_CONTINUE;
    ir_walk_children(w, n);
}

bool jumps_belong(const ir_node *body)
{
    own_search s = {.w = {.node = find_own}};
    find_own(&s.w, body);
    return s.found;
}

static void find_any(void *user, const ir_node *n)
{
    const ir_node **found = user;
    if (n->kind == IR_BREAK || n->kind == IR_CONTINUE || n->kind == IR_RETURN) *found = n;
}

const ir_node *jumps_find(const ir_node *stmt)
{
    const ir_node *found = NULL;
    ir_each(stmt, find_any, &found);
    return found;
}
