/* Lane-constant accesses: where they begin, and whether all their lanes are in bounds. */
#ifndef EMU_LANES_ACCESS_H
#define EMU_LANES_ACCESS_H

#include "emu/lanes.h"

static inline int64_t read_i64(const char *at)
{
    int64_t v;
    memcpy(&v, at, sizeof v);
    return v;
}
static inline int32_t read_i32(const char *at)
{
    int32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static inline const emu_object *object_of(const emu_vm *vm, const emu_access *at)
{
    if (at->object != EMU_NONE) return &vm->objects[at->object];
    return emu_object_at(vm, (uint32_t)read_i32(vm->frame + at->object_reg));
}

/* Where a lane-constant access begins: address of index 0, and the uniform part of the index. */
typedef struct start {
    char *at;
    int64_t index;
} start;

/* True where all lanes of the mask's chunks are in bounds, whether active or not. */
static inline bool all_in_bounds(const emu_vm *vm, const emu_access *at, start *s)
{
    const emu_object *o = object_of(vm, at);
    const emu_pattern *p = &vm->patterns[at->pattern];
    const uint32_t c0 = vm->c0, c1 = vm->c1;
    int64_t lo = p->min_to[c1 - 1], hi = p->max_to[c1 - 1];
    if (c0 != 0) {
        lo = p->min[c0];
        hi = p->max[c0];
        for (uint32_t c = c0 + 1; c < c1; ++c) {
            lo = p->min[c] < lo ? p->min[c] : lo;
            hi = p->max[c] > hi ? p->max[c] : hi;
        }
    }
    int64_t index = at->index_imm;
    if (at->index != EMU_NONE) index += read_i32(vm->frame + at->index);
    lo += index;
    hi += index;
    if (at->extend == EMU_EXTEND_SIGNED) {
        if (lo < INT32_MIN || hi > INT32_MAX) return false;
    } else if (lo < 0 || hi > (int64_t)UINT32_MAX) {
        return false;
    }
    int64_t base = at->imm;
    if (at->base != EMU_NONE && __builtin_add_overflow(base, read_i64(vm->frame + at->base), &base)) return false;
    const int64_t b0 = at->scale * (at->scale < 0 ? hi : lo), b1 = at->scale * (at->scale < 0 ? lo : hi);
    int64_t first, last;
    if (__builtin_add_overflow(base, b0, &first) || __builtin_add_overflow(base, b1, &last)) return false;
    const uint64_t size = (uint64_t)at->bytes * at->count;
    if (o->base == NULL || first < 0 || size > o->size || (uint64_t)last > o->size - size) return false;
    if (at->write && !o->writable) return false;
    s->at = o->base + base;
    s->index = index;
    return true;
}

#endif
