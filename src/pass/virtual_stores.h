/* Whether virtual threads store different values at one element of memory that is common to them. */
#ifndef PASS_VIRTUAL_STORES_H
#define PASS_VIRTUAL_STORES_H

#include "pass/pass.h"

/* Refuses stores by the virtual threads along `axis` (indices from 0 to n - 1) whose last one's value would be all that is left:
 * - of threadgroup memory that is allocated below the axis, every store that is not proved harmless. As its place in the
 *   program suggests, each virtual thread may mean memory of its own; the room for that is for the program to ask for;
 * - of other memory, whose elements are common beyond doubt, stores that certainly meet. One that adds to what it finds is none.
 * Atomic operations may meet. `whole`: the function's body, for the ranges of the threads around. */
void virtual_stores_refuse(pass_context *cx, const ir_node *whole, const ir_var *axis, int64_t n, const ir_node *body);

#endif
