/* Which part of a buffer a statement touches, as far as can be told. */
#ifndef PASS_TOUCHED_H
#define PASS_TOUCHED_H

#include "ir/simplify.h"
#include "ir/walk.h"
#include "pass/thread_axis.h"

/* One dimension: indices from base + least to base + most, where base is known outside of the
 * statement. */
typedef struct touched_dim {
    const ir_node *base;
    int64_t least, most;
    bool known; /* false: anything */
} touched_dim;

typedef struct touched {
    touched_dim *dims;
    size_t n;
    bool any;    /* is it accessed at all? */
    bool opaque; /* used as a pointer, or through a view: nothing is known */
} touched;

typedef struct touched_query {
    arena *mem;
    const ir_buffer *buffer;
    bool reads, writes; /* which accesses count */
    const thread_axis_vec
        *shared; /* axes bound outside whose threads share the buffer; may be NULL */
} touched_query;

/* The accesses in `root`, over all iterations of the loops in it. */
touched touched_by(const touched_query *q, const ir_node *root);

/* Is all of `inner` (in each dimension) proved to lie in `outer`? */
bool touched_covers(arena *mem, const touched *outer, const touched *inner);

#endif
