/* Which parts of which buffers a statement reads and writes. */
#ifndef IR_REGION_H
#define IR_REGION_H

#include "ir/bound.h"

/* One region a buffer, in the order of first access. */
typedef struct ir_touched {
    ir_regions reads, writes;
} ir_touched;

/* The regions that `stmt` touches, in terms of what is defined outside of it: variables defined inside are
 * taken over their whole ranges, buffers defined inside are left out. A region may be larger than what is
 * touched, never smaller; a dimension of which nothing is known is the buffer's whole. Accesses to the
 * memory of a buffer through a pointer (address_of, a passed data variable) count as all of it, read and
 * written. `az` knows the surroundings and is left as it was. */
ir_touched ir_touched_regions(ir_analyzer *az, const ir_node *stmt);

/* The values that `expr` takes when each variable of `inner` runs over its range (as bound in `az`): ends
 * min <= expr <= max in terms of the other variables. False where no such ends were found. */
bool ir_relax(ir_analyzer *az, const ir_node *expr, const ir_vars *inner, const ir_node **min,
              const ir_node **max);

#endif
