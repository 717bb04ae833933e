/* Whether virtual threads store different values at one element of memory that is common to them. */
#ifndef PASS_VIRTUAL_STORES_H
#define PASS_VIRTUAL_STORES_H

#include "pass/pass.h"

/* Looks for stores by the virtual threads along `axis` (indices from 0 to n - 1) whose last one's value would be all that is left:
 * - of threadgroup memory that is allocated below the axis, every store that is not proved harmless. Where virtual threads use the
 *   memory alike, at indices and under conditions that are the same for all, each means memory of its own, as its place in the
 *   program says: the memory's pointer is added to `copied`. Else the store is refused;
 * - of other memory, whose elements are common beyond doubt, stores that certainly meet are refused. One that adds to what it finds
 *   is none.
 * Atomic operations may meet. `whole`: the function's body, for the ranges of the threads around. */
void virtual_stores_check(pass_context *cx, const ir_node *whole, const ir_var *axis, int64_t n, const ir_node *body, map *copied);

#endif
