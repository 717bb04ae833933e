/* Checks of memory accesses, lane by lane: bounds, alignment, races, reads of what was never written. */
#include <string.h>

#include "emu/check.h"
#include "emu/code.h"
#include "emu/mask.h"

/* One lane's access. */
typedef struct touch {
    emu_vm *vm;
    emu_checker *c;
    const emu_insn *insn;
    const emu_object *o;
    emu_area *area;
    const emu_side *side;
    uint32_t lane, object;
    int64_t offset;
    uint32_t size;
    int64_t rec;
    bool read, write, atomic;
} touch;

static emu_site site_of(const emu_checker *c, int64_t rec)
{
    return c->watch->sites[shadow_site(rec)];
}

/* A simdgroup's matrix operations are of the whole simdgroup, in the order of the text. */
static bool both_collective(const touch *t, int64_t rec)
{
    if (!t->insn->access->collective || !site_of(t->c, rec).collective) return false;
    return ((rec ^ t->rec) & SHADOW_OWN) == 0 && shadow_lane(rec) / 32 == shadow_lane(t->rec) / 32;
}

static bool ordered(const touch *t, int64_t rec)
{
    if (shadow_ordered(t->side, t->area->device, rec, t->lane)) return true;
    const int64_t own = t->rec & SHADOW_OWN;
    const bool simdgroup = (rec & SHADOW_OWN) == own && shadow_lane(rec) / 32 == shadow_lane(t->rec) / 32;
    if (simdgroup && t->c->watch->simdgroups && rec < t->side->simd[t->lane]) return true;
    if (t->atomic && site_of(t->c, rec).atomic) return true;
    if (both_collective(t, rec)) return true;
    return emu_handed(t->vm, rec, t->area->device, t->lane);
}

static emu_fault fault_of(const touch *t, emu_rule rule)
{
    return (emu_fault){.kind = rule, .insn = t->insn, .lane = t->lane, .object = t->object, .offset = t->offset,
                       .size = t->size};
}

/* Does the lane store what is there already, or (within one instruction) what the other lane stores? */
static bool same_value(const touch *t, int64_t rec)
{
    const emu_access *at = t->insn->access;
    if (!t->write || t->insn->op == EMU_ATOMIC || t->atomic) return false;
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

static bool race(const touch *t, int64_t rec, bool other_writes)
{
    const emu_site site = site_of(t->c, rec);
    const bool group = (rec & SHADOW_OWN) == (t->rec & SHADOW_OWN);
    emu_rule rule = EMU_FAULT_RACE_GRID;
    if (t->atomic != site.atomic) rule = EMU_FAULT_RACE_ATOMIC;
    else if (group) rule = shadow_lane(rec) / 32 == shadow_lane(t->rec) / 32 ? EMU_FAULT_RACE_SIMD : EMU_FAULT_RACE_GROUP;
    emu_fault f = fault_of(t, rule);
    f.other = site.at;
    f.other_has_thread = true;
    f.other_index = shadow_lane(rec);
    /* threadgroup memory has tags of its own, but is always the lane's own threadgroup's */
    const int64_t tag = t->area->device ? shadow_tag(rec) : shadow_tag(t->c->device_side.who[t->lane]);
    f.other_group = (uint64_t)(tag - t->c->watch->floor_tag);
    f.detail = (other_writes ? EMU_RACE_OTHER_WRITES : 0) | (other_writes && same_value(t, rec) ? EMU_RACE_SAME_VALUE : 0);
    return emu_note(t->vm, &f);
}

static bool touch_read(const touch *t, uint64_t k)
{
    emu_area *a = t->area;
    const int64_t w = a->writer[k];
    const unsigned checks = t->c->checks;
    if ((checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 && !a->device && w < (t->rec & SHADOW_OWN)) {
        const emu_fault f = fault_of(t, EMU_FAULT_UNINIT_THREADGROUP);
        return emu_note(t->vm, &f);
    }
    if ((checks >> EMU_CHECK_RACE & 1u) == 0) return true;
    if (!ordered(t, w)) return race(t, w, true);
    if (a->reader == NULL || t->write) return true;
    const int64_t r = a->reader[k];
    if (shadow_ordered(t->side, a->device, r, t->lane)) {
        a->reader[k] = t->rec;
        return true;
    }
    /* of the second reader: better one of another simdgroup than the first's, as those two share no simdgroup_barrier */
    const int64_t o = a->other[k];
    const bool close = (o & SHADOW_OWN) == (r & SHADOW_OWN) && shadow_lane(o) / 32 == shadow_lane(r) / 32;
    if (close || shadow_ordered(t->side, a->device, o, t->lane)) a->other[k] = t->rec;
    return true;
}

static bool touch_write(const touch *t, uint64_t k)
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

static bool touch_granule(const touch *t, uint64_t k)
{
    const emu_area *a = t->area;
    uint8_t *lock = a->locks != NULL ? shadow_lock_of(a, k) : NULL;
    if (lock != NULL) shadow_lock(lock);
    if (t->atomic && t->c->watch->atomics) {
        const int64_t last = a->writer[k];
        const bool other = (last & SHADOW_SAME) != (t->rec & SHADOW_SAME);
        emu_hand_over(t->vm, t->read && other && site_of(t->c, last).atomic, t->write, a->device, t->lane);
    }
    bool on = true;
    if (t->read && !(t->atomic && t->write)) on = touch_read(t, k);
    else if (t->read && !a->device && (t->c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 &&
             a->writer[k] < (t->rec & SHADOW_OWN)) {
        const emu_fault f = fault_of(t, EMU_FAULT_UNINIT_THREADGROUP);
        on = emu_note(t->vm, &f);
    }
    if (on && t->write) on = touch_write(t, k);
    if (lock != NULL) shadow_unlock(lock);
    return on;
}

static bool touch_area(touch *t)
{
    const char *at = t->o->base + t->offset;
    if (t->insn->access->threadgroup) at += t->vm->chunk_shift[t->lane / EMU_CHUNK];
    const uint64_t from = (uint64_t)(at - t->area->base);
    for (uint64_t k = from >> t->area->shift; k <= (from + t->size - 1) >> t->area->shift; ++k)
        if (!touch_granule(t, k)) return false;
    return true;
}

/* A buffer whose bytes the caller knows as written or not. */
static bool touch_written(const touch *t, uint8_t *written)
{
    uint8_t *at = written + t->offset;
    if (t->read) {
        for (uint32_t b = 0; b < t->size; ++b) {
            if (__atomic_load_n(&at[b], __ATOMIC_RELAXED) != 0) continue;
            const emu_fault f = fault_of(t, EMU_FAULT_UNINIT_DEVICE);
            if (!emu_note(t->vm, &f)) return false;
            break;
        }
    }
    if (t->write)
        for (uint32_t b = 0; b < t->size; ++b) __atomic_store_n(&at[b], 1, __ATOMIC_RELAXED);
    return true;
}

static touch begin(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    touch t = {.vm = vm, .c = vm->check, .insn = i, .size = (uint32_t)at->bytes * at->count};
    t.atomic = at->atomic;
    t.write = at->write;
    t.read = !at->write || at->updates;
    return t;
}

/* The rest of one lane's checks; its place is in bounds. */
static bool check_lane(touch *t)
{
    const emu_access *at = t->insn->access;
    emu_checker *c = t->c;
    if (at->align > 1 && (c->checks >> EMU_CHECK_ALIGNMENT & 1u) != 0 && ((uint64_t)t->offset & (at->align - 1u)) != 0) {
        emu_fault f = fault_of(t, EMU_FAULT_MISALIGNED);
        f.detail = at->align;
        if (!emu_note(t->vm, &f)) return false;
    }
    if (t->object >= t->vm->object_count) return true; /* memory reached by an address in a buffer: bounds only */
    uint8_t *written = c->written[t->object];
    if (written != NULL && !touch_written(t, written)) return false;
    t->area = c->areas[t->object];
    if (t->area == NULL) return true;
    t->side = t->area->device ? &c->device_side : &c->group_side;
    t->rec = t->side->who[t->lane] | emu_checker_now(c, t->insn);
    return touch_area(t);
}

static void find_object(touch *t, uint32_t number)
{
    t->o = emu_object_at(t->vm, number);
    t->object = t->o == t->vm->objects ? 0 : number; /* what is no object is the null object */
}

bool emu_check_chunk(emu_vm *vm, const emu_insn *i, uint32_t chunk, uint32_t lo, uint32_t hi)
{
    touch t = begin(vm, i);
    for (uint32_t lane = chunk * EMU_CHUNK + lo; lane < chunk * EMU_CHUNK + hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        t.lane = lane;
        find_object(&t, emu_lane_object(vm, i->access, lane));
        t.offset = emu_lane_offset(vm, i->access, lane);
        if (!check_lane(&t)) return false;
    }
    return true;
}

/* What keeps the lane from its place; NONE where nothing does. */
static emu_rule bounds_of(const touch *t)
{
    const emu_access *at = t->insn->access;
    const emu_object *o = t->o;
    if (o->base == NULL) return EMU_FAULT_UNBOUND;
    if (t->size > o->size || (uint64_t)t->offset > o->size - t->size) return EMU_FAULT_BOUNDS;
    return at->write && !o->writable ? EMU_FAULT_READ_ONLY : EMU_FAULT_NONE;
}

/* Does the instruction behind i for the lanes that are not barred; what those barred would have read is 0. */
static const emu_insn *run_without(emu_vm *vm, const emu_insn *i, const uint8_t *barred)
{
    emu_mask *m = &vm->masks[vm->top];
    const emu_mask before = *m;
    uint8_t bytes[EMU_MAX_CHUNKS * EMU_CHUNK];
    bool any = false;
    for (uint32_t lane = before.lo; lane < before.hi; ++lane) {
        bytes[lane] = emu_active(vm, lane) && barred[lane] == 0;
        any = any || bytes[lane] != 0;
    }
    const emu_access *at = i->access;
    if (!at->write || at->updates) {
        const bool uniform = i[1].op == EMU_LOADU;
        for (uint32_t lane = uniform ? 0 : before.lo; lane < (uniform ? EMU_CHUNK : before.hi); ++lane)
            for (unsigned k = 0; k < at->count && !at->atomic; ++k)
                if (uniform || bytes[lane] == 0) memset(vm->frame + at->regs[k] + lane * at->bytes, 0, at->bytes);
        if (uniform) any = false; /* all lanes have the one place */
    }
    if (!any) return i + 2;
    m->bytes = bytes;
    m->full = false;
    const emu_insn *next = i[1].run(vm, i + 1);
    *m = before;
    return next;
}

const emu_insn *emu_check_access(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    uint8_t barred[EMU_MAX_CHUNKS * EMU_CHUNK];
    bool any = false;
    touch t = begin(vm, i);
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        barred[lane] = 0;
        if (!emu_active(vm, lane)) continue;
        t.lane = lane;
        find_object(&t, emu_lane_object(vm, i->access, lane));
        t.offset = emu_lane_offset(vm, i->access, lane);
        const emu_rule rule = bounds_of(&t);
        if (rule != EMU_FAULT_NONE) {
            /* where bounds are not collected, the access itself stops the run */
            if ((t.c->checks >> EMU_CHECK_BOUNDS & 1u) == 0) return i + 1;
            const emu_fault f = fault_of(&t, rule);
            if (!emu_note(vm, &f)) return NULL;
            barred[lane] = 1;
            any = true;
        } else if (!check_lane(&t)) {
            return NULL;
        }
    }
    return any ? run_without(vm, i, barred) : i + 1;
}

/* Thread arrays: which of a lane's bytes have been written lies behind the array itself, laid out as that is. */

static uint8_t *private_written(const emu_vm *vm, const emu_access *at, uint32_t lane, uint64_t b)
{
    const uint64_t g = at->granule, rows = (at->size + g - 1) / g;
    return (uint8_t *)vm->frame + at->private_at + rows * g * vm->width + b / g * (g * vm->width) + lane * g + b % g;
}

static bool check_private_lane(touch *t)
{
    const emu_access *at = t->insn->access;
    for (uint32_t b = 0; b < t->size && at->watched; ++b) {
        uint8_t *w = private_written(t->vm, at, t->lane, (uint64_t)t->offset + b);
        if (t->write) *w = 1;
        else if (*w == 0) {
            const emu_fault f = fault_of(t, EMU_FAULT_UNINIT_ARRAY);
            return emu_note(t->vm, &f);
        }
    }
    return true;
}

static const emu_insn *check_private(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    uint8_t barred[EMU_MAX_CHUNKS * EMU_CHUNK];
    bool any = false;
    touch t = begin(vm, i);
    t.object = i->access->object;
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        barred[lane] = 0;
        if (!emu_active(vm, lane)) continue;
        t.lane = lane;
        t.offset = emu_lane_offset(vm, i->access, lane);
        if (t.size > i->access->size || (uint64_t)t.offset > i->access->size - t.size) {
            if ((t.c->checks >> EMU_CHECK_BOUNDS & 1u) == 0) return i + 1;
            const emu_fault f = fault_of(&t, EMU_FAULT_BOUNDS);
            if (!emu_note(vm, &f)) return NULL;
            barred[lane] = 1;
            any = true;
        } else if (!check_private_lane(&t)) {
            return NULL;
        }
    }
    return any ? run_without(vm, i, barred) : i + 1;
}

/* Nothing of the array is written any more. */
static const emu_insn *forget_private(emu_vm *vm, const emu_insn *i)
{
    const emu_mask *m = &vm->masks[vm->top];
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        if (!emu_active(vm, lane)) continue;
        for (uint64_t b = 0; b < i->access->size; ++b) *private_written(vm, i->access, lane, b) = 0;
    }
    return i + 1;
}

emu_handler emu_check_memory_handler(emu_op op)
{
    if (op == EMU_CHECKM) return emu_check_access;
    if (op == EMU_CHECKP) return check_private;
    return op == EMU_FORGETP ? forget_private : NULL;
}
