/* A set of live buffers by address. */
#ifndef RT_LIVE_H
#define RT_LIVE_H

#include "rt/object.h"

/* The address must not be in the set. False when out of memory. */
bool rt_live_add(const ingot_allocator *mem, rt_live *set, const void *address, ingot_buffer *b);
/* It must be in the set. */
void rt_live_remove(rt_live *set, const void *address);
/* The buffer of that address, NULL where there is none. */
ingot_buffer *rt_live_find(const rt_live *set, const void *address);
void rt_live_free(const ingot_allocator *mem, rt_live *set);

#endif
