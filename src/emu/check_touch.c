/* Races and first reads: a lane's access against the records of those before it. */
#include "emu/touch.h"

#include <string.h>

static emu_site site_of(const emu_checker *c, int64_t rec)
{
    return c->watch->sites[shadow_site(rec)];
}

static const emu_side *side_of(const emu_touch *t)
{
    return &t->c->side[t->area->memory];
}

/* A simdgroup's matrix operations are of the whole simdgroup, in the order of the text. */
static bool both_collective(const emu_touch *t, int64_t rec)
{
    if (!t->insn->access->collective || !site_of(t->c, rec).collective) return false;
    return ((rec ^ t->rec) & SHADOW_OWN) == 0 && shadow_lane(rec) / 32 == shadow_lane(t->rec) / 32;
}

static bool ordered(const emu_touch *t, int64_t rec)
{
    if (shadow_ordered(side_of(t), shadow_shared(t->area), rec, t->lane)) return true;
    const int64_t own = t->rec & SHADOW_OWN;
    const bool simdgroup = (rec & SHADOW_OWN) == own && shadow_lane(rec) / 32 == shadow_lane(t->rec) / 32;
    if (simdgroup && t->c->watch->simdgroups && rec < shadow_simd(side_of(t), t->lane)) return true;
    if (t->atomic && site_of(t->c, rec).atomic) return true;
    if (both_collective(t, rec)) return true;
    return emu_handed(t->vm, rec, (shadow_memory)t->area->memory, t->lane);
}

emu_fault emu_touch_fault(const emu_touch *t, emu_rule rule)
{
    return (emu_fault){.kind = rule, .insn = t->insn, .lane = t->lane, .object = t->object, .offset = t->offset,
                       .size = t->size, .texel = t->place};
}

/* Does the lane store what is there already, or (within one instruction) what the other lane stores? */
static bool same_value(const emu_touch *t, int64_t rec)
{
    const emu_access *at = t->insn->access;
    if (!t->write || t->o == NULL || t->atomic) return false;
    const uint32_t all = t->vm->group_threads, other = t->lane / all * all + shadow_lane(rec);
    const bool here = shadow_site(rec) == shadow_site(t->rec) && ((rec ^ t->rec) & SHADOW_OWN) == 0;
    for (unsigned k = 0; k < at->count; ++k) {
        const char *v = t->vm->frame + at->regs[k];
        const char *mine = v + t->lane / EMU_CHUNK * at->strides[k] + t->lane % EMU_CHUNK * at->bytes;
        const char *theirs = v + other / EMU_CHUNK * at->strides[k] + other % EMU_CHUNK * at->bytes;
        if (!here) {
            theirs = t->o->base + t->offset + k * at->bytes;
            if (at->threadgroup) theirs += t->vm->chunk_shift[t->lane / EMU_CHUNK];
        }
        if (memcmp(mine, theirs, at->bytes) != 0) return false;
    }
    return true;
}

static bool race(const emu_touch *t, int64_t rec, bool other_writes)
{
    const emu_site site = site_of(t->c, rec);
    const bool group = (rec & SHADOW_OWN) == (t->rec & SHADOW_OWN);
    emu_rule rule = EMU_FAULT_RACE_GRID;
    if (t->atomic != site.atomic) rule = EMU_FAULT_RACE_ATOMIC;
    else if (group) rule = shadow_lane(rec) / 32 == shadow_lane(t->rec) / 32 ? EMU_FAULT_RACE_SIMD : EMU_FAULT_RACE_GROUP;
    emu_fault f = emu_touch_fault(t, rule);
    f.other = site.at;
    f.other_has_thread = true;
    f.other_index = shadow_lane(rec);
    /* threadgroup memory has tags of its own, but is always the lane's own threadgroup's */
    const int64_t tag = shadow_shared(t->area) ? shadow_tag(rec) : shadow_tag(shadow_who(&t->c->side[SHADOW_DEVICE], t->lane));
    f.other_group = (uint64_t)(tag - t->c->watch->floor_tag);
    f.detail = (other_writes ? EMU_RACE_OTHER_WRITES : 0) | (other_writes && same_value(t, rec) ? EMU_RACE_SAME_VALUE : 0);
    return emu_note(t->vm, &f);
}

static bool touch_read(const emu_touch *t, uint64_t k)
{
    emu_area *a = t->area;
    const int64_t w = a->writer[k];
    const unsigned checks = t->c->checks;
    if ((checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 && !shadow_shared(a) && w < (t->rec & SHADOW_OWN)) {
        const emu_fault f = emu_touch_fault(t, EMU_FAULT_UNINIT_THREADGROUP);
        return emu_note(t->vm, &f);
    }
    if ((checks >> EMU_CHECK_RACE & 1u) == 0) return true;
    if (!ordered(t, w)) return race(t, w, true);
    if (a->reader == NULL || t->write) return true;
    const int64_t r = a->reader[k];
    if (shadow_ordered(side_of(t), shadow_shared(a), r, t->lane)) {
        a->reader[k] = t->rec;
        return true;
    }
    /* of the second reader: better one of another simdgroup than the first's, as those two share no simdgroup_barrier */
    const int64_t o = a->other[k];
    const bool close = (o & SHADOW_OWN) == (r & SHADOW_OWN) && shadow_lane(o) / 32 == shadow_lane(r) / 32;
    if (close || shadow_ordered(side_of(t), shadow_shared(a), o, t->lane)) a->other[k] = t->rec;
    return true;
}

static bool touch_write(const emu_touch *t, uint64_t k)
{
    emu_area *a = t->area;
    bool on = true;
    if ((t->c->checks >> EMU_CHECK_RACE & 1u) != 0) {
        if (!ordered(t, a->writer[k])) on = race(t, a->writer[k], true);
        else if (a->reader != NULL && !ordered(t, a->reader[k])) on = race(t, a->reader[k], false);
        else if (a->reader != NULL && !ordered(t, a->other[k])) on = race(t, a->other[k], false);
    }
    a->writer[k] = t->rec;
    return on;
}

static bool touch_granule(const emu_touch *t, uint64_t k)
{
    const emu_area *a = t->area;
    uint8_t *lock = a->locks != NULL ? shadow_lock_of(a, k) : NULL;
    if (lock != NULL) shadow_lock(lock);
    if (t->atomic && t->c->watch->atomics) {
        const int64_t last = a->writer[k];
        const bool other = (last & SHADOW_SAME) != (t->rec & SHADOW_SAME);
        emu_hand_over(t->vm, t->read && other && site_of(t->c, last).atomic, t->write, (shadow_memory)a->memory, t->lane);
    }
    bool on = true;
    if (t->read && !(t->atomic && t->write)) on = touch_read(t, k);
    else if (t->read && !shadow_shared(a) && (t->c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 &&
             a->writer[k] < (t->rec & SHADOW_OWN)) {
        const emu_fault f = emu_touch_fault(t, EMU_FAULT_UNINIT_THREADGROUP);
        on = emu_note(t->vm, &f);
    }
    if (on && t->write) on = touch_write(t, k);
    if (lock != NULL) shadow_unlock(lock);
    return on;
}

bool emu_touch_area(emu_touch *t, emu_area *area, const char *at)
{
    t->area = area;
    t->rec = shadow_who(side_of(t), t->lane) | emu_checker_now(t->c, t->insn);
    const uint64_t from = (uint64_t)(at - area->base);
    for (uint64_t k = from >> area->shift; k <= (from + t->size - 1) >> area->shift; ++k)
        if (!touch_granule(t, k)) return false;
    return true;
}

bool emu_touch_written(const emu_touch *t, uint8_t *at)
{
    if (t->read) {
        for (uint32_t b = 0; b < t->size; ++b) {
            if (__atomic_load_n(&at[b], __ATOMIC_RELAXED) != 0) continue;
            const emu_fault f = emu_touch_fault(t, t->o == NULL ? EMU_FAULT_UNINIT_TEXTURE : EMU_FAULT_UNINIT_DEVICE);
            if (!emu_note(t->vm, &f)) return false;
            break;
        }
    }
    if (t->write)
        for (uint32_t b = 0; b < t->size; ++b) __atomic_store_n(&at[b], 1, __ATOMIC_RELAXED);
    return true;
}
