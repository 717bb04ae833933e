/* Memory through the caller's hook, with the C library's as the default. */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

const ingot_allocator mem_default = {.resize = default_resize, .user = NULL};

const ingot_allocator *mem_or_default(const ingot_allocator *mem)
{
    return mem != NULL ? mem : &mem_default;
}

void *mem_alloc(const ingot_allocator *mem, size_t size)
{
    /* A hook reads new_size 0 as "free", so nothing is ever asked with 0. */
    return mem->resize(mem->user, NULL, 0, size != 0 ? size : 1);
}

void *mem_zeroed(const ingot_allocator *mem, size_t count, size_t size)
{
    size_t total;
    if (!size_mul(count, size, &total)) return NULL;
    if (mem->resize == default_resize) return calloc(total != 0 ? total : 1, 1); /* pages of large ones come when they are used */
    void *p = mem_alloc(mem, total);
    if (p != NULL) memset(p, 0, total);
    return p;
}

void *mem_copy(const ingot_allocator *mem, const void *from, size_t size)
{
    void *p = mem_alloc(mem, size);
    if (p != NULL && size != 0) memcpy(p, from, size);
    return p;
}

void *mem_resize(const ingot_allocator *mem, void *ptr, size_t old_size, size_t new_size)
{
    return mem->resize(mem->user, ptr, ptr == NULL ? 0 : (old_size != 0 ? old_size : 1),
                       new_size != 0 ? new_size : 1);
}

void mem_free(const ingot_allocator *mem, void *ptr, size_t size)
{
    if (ptr != NULL) mem->resize(mem->user, ptr, size != 0 ? size : 1, 0);
}

bool size_mul(size_t count, size_t size, size_t *out)
{
    if (size != 0 && count > SIZE_MAX / size) return false;
    *out = count * size;
    return true;
}

bool size_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b) return false;
    *out = a + b;
    return true;
}
