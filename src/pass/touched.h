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
    ir_analyzer *around; /* what is known outside of the statement; NULL: nothing */
    const map *names;    /* variables bound outside that differ between those threads -> their values; may be NULL */
    const map *unknown;  /* the same where the value is not known; may be NULL */
} touched_query;

/* The accesses in `root`, over all iterations of the loops in it. A block's view of a part of the buffer touches that part. */
touched touched_by(const touched_query *q, const ir_node *root);

/* Does the block say that it reads, or writes, memory at `data`? */
bool block_reads(const ir_block *b, const ir_var *data);
bool block_writes(const ir_block *b, const ir_var *data);
/* Has the block a view of memory at `data`? */
bool block_views(const ir_block *b, const ir_var *data);

/* Is all of `inner` (in each dimension) proved to lie in `outer`? */
bool touched_covers(ir_analyzer *az, arena *mem, const touched *outer, const touched *inner);

#endif
