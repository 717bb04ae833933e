/* Recognising the reduction that a block's init and body spell out. */
#ifndef PASS_REDUCER_H
#define PASS_REDUCER_H

#include "ir/walk.h"

/* One of the values that are reduced together (argmin reduces an index and a value). */
typedef struct reducer_part {
    const ir_buffer *buffer; /* the result is kept in buffer[index] */
    ir_list index;
    const ir_node *value; /* what one iteration contributes */
    const ir_node *init;  /* what the block starts with */
    bool starts_apart;    /* init is not the reducer's identity: combine it in at the end */
} reducer_part;

typedef struct reducer {
    reducer_part *parts;
    size_t n;
    const ir_reducer *fn; /* lhs, rhs -> result, with identities; lhs is the value kept */
} reducer;

/* The reduction of block `b`; NULL where it was recognised, else why not. Known are sum, product,
 * min, max, the bitwise and logical ones, several of these side by side, and a choice between two
 * tuples by comparing their parts (argmin, argmax). The combining functions are commutative and
 * associative, or may be taken to be. */
const char *reducer_match(arena *mem, const ir_block *b, reducer *out);

/* result `i` of the reducer with these operands, one a part. */
const ir_node *reducer_apply(arena *mem, const ir_reducer *fn, size_t i, const ir_node *const *lhs,
                             const ir_node *const *rhs);

#endif
