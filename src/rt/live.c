/* A set of live buffers by address: open addressing, linear probing, no marks for what was removed. */
#include "rt/live.h"

#include <stdint.h>

static size_t home(const rt_live *set, const void *address)
{
    uint64_t h = (uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) & (set->slot_count - 1);
}

/* The slot that holds the address, else the free one where it would go. */
static size_t slot_of(const rt_live *set, const void *address)
{
    size_t at = home(set, address);
    while (set->slots[at].address != NULL && set->slots[at].address != address) at = (at + 1) & (set->slot_count - 1);
    return at;
}

static bool grow(const ingot_allocator *mem, rt_live *set)
{
    rt_live bigger = {.slot_count = set->slot_count == 0 ? 64 : set->slot_count * 2, .count = set->count};
    bigger.slots = mem_zeroed(mem, bigger.slot_count, sizeof *bigger.slots);
    if (bigger.slots == NULL) return false;
    for (size_t i = 0; i < set->slot_count; ++i) {
        if (set->slots[i].address != NULL) bigger.slots[slot_of(&bigger, set->slots[i].address)] = set->slots[i];
    }
    rt_live_free(mem, set);
    *set = bigger;
    return true;
}

bool rt_live_add(const ingot_allocator *mem, rt_live *set, const void *address, ingot_buffer *b)
{
    if ((set->count + 1) * 2 > set->slot_count && !grow(mem, set)) return false;
    set->slots[slot_of(set, address)] = (rt_live_slot){address, b};
    ++set->count;
    return true;
}

void rt_live_remove(rt_live *set, const void *address)
{
    size_t hole = slot_of(set, address), mask = set->slot_count - 1;
    set->slots[hole] = (rt_live_slot){0};
    --set->count;
    /* Those behind it move up where the hole lies between them and their home. */
    for (size_t at = (hole + 1) & mask; set->slots[at].address != NULL; at = (at + 1) & mask) {
        size_t from_home = (at - home(set, set->slots[at].address)) & mask, from_hole = (at - hole) & mask;
        if (from_home < from_hole) continue;
        set->slots[hole] = set->slots[at];
        set->slots[at] = (rt_live_slot){0};
        hole = at;
    }
}

ingot_buffer *rt_live_find(const rt_live *set, const void *address)
{
    return set->slot_count != 0 && address != NULL ? set->slots[slot_of(set, address)].buffer : NULL;
}

void rt_live_free(const ingot_allocator *mem, rt_live *set)
{
    mem_free(mem, set->slots, set->slot_count * sizeof *set->slots);
    *set = (rt_live){0};
}
