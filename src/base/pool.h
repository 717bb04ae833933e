/* Memory that is given back all at once, for objects that must not jump when it runs out. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "base/alloc.h"
#include "base/str.h"

typedef struct pool_block pool_block;

/* One thread at a time. Made by pool_make, emptied by pool_free. */
typedef struct pool {
    const ingot_allocator *mem;
    pool_block *block; /* newest first */
    char *at, *end;    /* free bytes of the newest block */
} pool;

pool pool_make(const ingot_allocator *mem);
void pool_free(pool *p);

/* `count` zeroed items of `size` bytes, aligned for any type; NULL when out of memory or where the
 * product overflows. Never NULL for 0 bytes otherwise. */
void *pool_alloc(pool *p, size_t count, size_t size);

/* A NUL-terminated copy (the NUL is not counted); p NULL when out of memory. */
str pool_str(pool *p, str s);

#define pool_array(p, T, n) ((T *)pool_alloc((p), (n), sizeof(T)))

#endif
