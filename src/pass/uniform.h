/* Which values all threads of a threadgroup agree on, and which control flow they share. */
#ifndef PASS_UNIFORM_H
#define PASS_UNIFORM_H

#include "pass/region.h"

/* Of one region. What is not in `varying` is uniform. */
typedef struct uniformity {
    arena *mem;
    map varying;   /* variables, and pointers of memory whose contents differ between threads */
    map divergent; /* FOR and WHILE statements that threads may leave or go round at different times */
    bool changed;  /* while being computed */
} uniformity;

uniformity uniformity_of(arena *mem, const ir_node *region, const region_axes *axes);

/* The same among the threads along one axis, real or virtual, that is bound around the statement. `own`: pointers of memory of which
 * each has its own. */
uniformity uniformity_along(arena *mem, const ir_node *n, const ir_var *axis, const map *own);

/* May the expression's value differ between threads of one group? Memory of the group counts as the
 * same for all at one place: two threads that read it without a barrier between race anyway. */
bool varies(const uniformity *u, const ir_node *expr);

/* May threads go round this loop (FOR or WHILE) differently? */
bool loop_varies(const uniformity *u, const ir_node *loop);

#endif
