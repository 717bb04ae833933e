/* Conditions in a loop's body that hold for all of its rounds but the first or last ones. */
#ifndef PASS_LOOP_GUARDS_H
#define PASS_LOOP_GUARDS_H

#include "ir/linear.h"
#include "ir/simplify.h"
#include "ir/walk.h"

/* One comparison: it holds wherever coeff * v + sum + most <= 0, v being the loop's variable. `sum` has only terms
 * that are known before the loop. */
typedef struct loop_guard {
    const ir_node *cond;
    int64_t coeff, most;
    bool only_there; /* and nowhere else */
    ir_linear sum;
} loop_guard;

VEC_DECLARE(loop_guard_vec, loop_guard)

typedef struct guard_search {
    ir_walk w;
    arena *mem;
    ir_analyzer *az;       /* knows the variables around the loop; those inside are bound as they are met */
    const ir_var *var;     /* of the loop */
    const map *outside;    /* variables whose values may be used before the loop */
    loop_guard_vec found;
} guard_search;

/* The comparisons that branches and lazy choices of `body` ask, as far as they are understood. */
void loop_guards_find(guard_search *s, const ir_node *body);

/* `body` with the comparisons (a map of nodes) taken to hold, or not to. */
const ir_node *loop_guards_without(arena *mem, const ir_node *body, const map *conds, bool hold);

#endif
