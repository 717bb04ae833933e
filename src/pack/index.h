/* Finding structs by name in constant time, so that files with many thousand are read in linear time. */
#ifndef PACK_INDEX_H
#define PACK_INDEX_H

#include "base/pool.h"
#include "ingot/ingot.h"

/* Over an array of structs that begin with their name. */
typedef struct pack_index {
    const char *items;
    size_t size;     /* of one struct */
    uint32_t *slots; /* open addressing: index + 1, 0 = free */
    size_t slot_count;
} pack_index;

/* `items` points to `count` structs of `size` bytes, each with a str as its first member. INGOT_EXISTS
 * where two share a name (*again = the index of the second), INGOT_LIMIT past 2^31, or
 * INGOT_OUT_OF_MEMORY. */
ingot_status pack_index_make(pool *mem, const void *items, size_t size, size_t count, pack_index *out,
                             size_t *again);

/* SIZE_MAX where there is none. */
size_t pack_index_find(const pack_index *x, str name);

#endif
