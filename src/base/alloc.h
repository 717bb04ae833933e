/* Memory through the caller's hook: the one place where Ingot asks for bytes. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "ingot/ingot.h"

/* The hook over realloc and free that is used where the caller gives none. */
extern const ingot_allocator mem_default;

/* `mem`, or the default hook where `mem` is NULL. */
const ingot_allocator *mem_or_default(const ingot_allocator *mem);

/* New bytes, uninitialised; NULL when out of memory. `size` 0 gives a pointer that may be freed. */
void *mem_alloc(const ingot_allocator *mem, size_t size);

/* As mem_alloc for `count` items of `size` zeroed bytes; NULL also where the product overflows. */
void *mem_zeroed(const ingot_allocator *mem, size_t count, size_t size);

/* A copy of `size` bytes; NULL when out of memory. */
void *mem_copy(const ingot_allocator *mem, const void *from, size_t size);

/* Grows or shrinks; on failure NULL, and the old bytes stay as they were. */
void *mem_resize(const ingot_allocator *mem, void *ptr, size_t old_size, size_t new_size);

/* Gives back what mem_* gave; `size` is the size it was asked with. NULL is fine. */
void mem_free(const ingot_allocator *mem, void *ptr, size_t size);

/* count * size into *out; false on overflow. */
bool size_mul(size_t count, size_t size, size_t *out);

/* a + b into *out; false on overflow. */
bool size_add(size_t a, size_t b, size_t *out);

#endif
