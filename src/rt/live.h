/* A set of live buffers by address. */
#ifndef RT_LIVE_H
#define RT_LIVE_H

#include "rt/object.h"

/* False when out of memory. */
bool rt_live_add(const ingot_allocator *mem, rt_live *set, const ingot_buffer *b);
/* It must be in the set. */
void rt_live_remove(rt_live *set, const ingot_buffer *b);
bool rt_live_has(const rt_live *set, const void *address);
void rt_live_free(const ingot_allocator *mem, rt_live *set);

#endif
