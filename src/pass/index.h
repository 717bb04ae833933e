/* Index arithmetic that keeps ramps as ramps, and where a buffer's items lie in its memory. */
#ifndef PASS_INDEX_H
#define PASS_INDEX_H

#include "ir/ir.h"

/* a * b for a scalar b of the same element type; a ramp stays a ramp. */
const ir_node *index_scale(arena *mem, const ir_node *a, const ir_node *b);

/* a + b, at most one a vector; a ramp stays a ramp. */
const ir_node *index_shift(arena *mem, const ir_node *a, const ir_node *b);

/* The index cast to `type` (one lane's); a ramp stays a ramp. */
const ir_node *index_cast(arena *mem, ir_type type, const ir_node *index);

/* Elements from one item of dimension `dim` to the next, in `type`. */
const ir_node *index_stride(arena *mem, const ir_buffer *b, size_t dim, ir_type type);

/* The type that holds any position in the buffer that `index` may lead to: int32, or int64 where an
 * index, a dimension, a stride or the offset is wider, or where the buffer is known to be larger.
 */
ir_type index_type(const ir_buffer *b, ir_list index);

/* Elements from the buffer's data pointer to the item at `index`, one expression a dimension, in
 * index_type. */
const ir_node *index_flat(arena *mem, const ir_buffer *b, ir_list index, span at);

#endif
