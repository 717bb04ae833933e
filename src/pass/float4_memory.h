/* Single elements of float4_e2m1fn in memory, two to a byte: the even one in the lower half. */
#ifndef PASS_FLOAT4_MEMORY_H
#define PASS_FLOAT4_MEMORY_H

#include "ir/ir.h"

/* Are these a buffer's elements that share bytes? */
bool float4_is_half(ir_type t);

/* The bytes that `n` such elements take. */
const ir_node *float4_bytes(arena *mem, const ir_node *n);

/* The float32 values of the elements `index` (of any number of lanes) in `bytes`, a buffer of uint8. */
const ir_node *float4_load(arena *mem, const ir_buffer *bytes, const ir_node *index, span at);

/* Stores float32 values of the type, one a lane, to whole bytes. NULL where the index is not seen to name whole bytes, but for memory of
 * the thread's own: a thread that stored half of one would also write back the other half, which another thread may be storing. */
const ir_node *float4_store(arena *mem, const ir_buffer *bytes, const ir_node *index, const ir_node *value, span at);

/* Does a statement in `body` store half a byte of `b`? */
bool float4_stores_halves(arena *mem, const ir_node *body, const ir_buffer *b);

/* A loop that stores 0 to all bytes. */
const ir_node *float4_clear(arena *mem, const ir_buffer *bytes, span at);

#endif
