/* Memory that is given back all at once. */
#include "base/pool.h"

#include <string.h>

struct pool_block {
    pool_block *next;
    size_t size;
    max_align_t bytes[];
};

enum { BLOCK_BYTES = 4096, ALIGN = sizeof(max_align_t) };

pool pool_make(const ingot_allocator *mem)
{
    return (pool){.mem = mem_or_default(mem)};
}

void pool_free(pool *p)
{
    while (p->block != NULL) {
        pool_block *next = p->block->next;
        mem_free(p->mem, p->block, p->block->size);
        p->block = next;
    }
    p->at = p->end = NULL;
}

/* A fresh block with room for `need` bytes; false when out of memory. */
static bool add_block(pool *p, size_t need)
{
    size_t room = need < BLOCK_BYTES ? BLOCK_BYTES : need, size;
    if (!size_add(room, sizeof(pool_block), &size)) return false;
    pool_block *block = mem_alloc(p->mem, size);
    if (block == NULL) return false;
    block->next = p->block;
    block->size = size;
    p->block = block;
    p->at = (char *)block->bytes;
    p->end = p->at + room;
    return true;
}

void *pool_alloc(pool *p, size_t count, size_t size)
{
    size_t total;
    if (!size_mul(count, size, &total) || !size_add(total, ALIGN - 1, &total)) return NULL;
    total = total / ALIGN * ALIGN;
    if (total == 0) total = ALIGN;
    if (p->at == NULL || (size_t)(p->end - p->at) < total) {
        if (!add_block(p, total)) return NULL;
    }
    void *result = p->at;
    p->at += total;
    memset(result, 0, total);
    return result;
}

str pool_str(pool *p, str s)
{
    size_t size;
    if (!size_add(s.n, 1, &size)) return (str){0};
    char *copy = pool_alloc(p, size, 1);
    if (copy == NULL) return (str){0};
    if (s.n != 0) memcpy(copy, s.p, s.n);
    return (str){copy, s.n};
}
