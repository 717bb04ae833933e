/* Checks of memory accesses, lane by lane: bounds, alignment, races, reads of what was never written. */
#include <string.h>

#include "emu/code.h"
#include "emu/mask.h"
#include "emu/touch.h"

static emu_touch begin(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    emu_touch t = {.vm = vm, .c = vm->check, .insn = i, .size = (uint32_t)at->bytes * at->count};
    t.atomic = at->atomic;
    t.write = at->write;
    t.read = !at->write || at->updates;
    return t;
}

/* Which of the object's bytes hold data; NULL: all. */
static uint8_t *written_of(const emu_touch *t)
{
    if (t->object < t->vm->object_count) return t->c->written[t->object];
    const emu_launch *l = t->c->watch->launch;
    const bool asked = (t->c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 && l->resource_written != NULL;
    return asked ? l->resource_written[t->object - EMU_FIRST_RESOURCE] : NULL;
}

static emu_area *area_of(const emu_touch *t)
{
    if (t->object < t->vm->object_count) return t->c->areas[t->object];
    return t->c->touches ? t->c->watch->resources[t->object - EMU_FIRST_RESOURCE] : NULL;
}

/* The rest of one lane's checks; its place is in bounds. */
static bool check_lane(emu_touch *t)
{
    const emu_access *access = t->insn->access;
    const bool aligned = access->align <= 1 || ((uint64_t)t->offset & (access->align - 1u)) == 0;
    if (!aligned && !t->atomic && (t->c->checks >> EMU_CHECK_ALIGNMENT & 1u) != 0) { /* an atomic operation itself stops */
        emu_fault f = emu_touch_fault(t, EMU_FAULT_MISALIGNED);
        f.detail = access->align;
        if (!emu_note(t->vm, &f)) return false;
    }
    const char *at = t->o->base + t->offset;
    if (access->threadgroup) at += t->vm->chunk_shift[t->lane / EMU_CHUNK];
    uint8_t *written = written_of(t);
    if (written != NULL && !emu_touch_written(t, written + t->offset)) return false;
    emu_area *area = area_of(t);
    return area == NULL || emu_touch_area(t, area, at);
}

static void find_object(emu_touch *t, uint32_t number)
{
    t->o = emu_object_at(t->vm, number);
    t->object = t->o == t->vm->objects ? 0 : number; /* what is no object is the null object */
}

bool emu_check_chunk(emu_vm *vm, const emu_insn *i, uint32_t chunk, uint32_t lo, uint32_t hi)
{
    emu_touch t = begin(vm, i);
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
static emu_rule bounds_of(const emu_touch *t)
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

/* All lanes read one place of memory that is not watched, within bounds: looked at for one of them. */
static bool is_plain_uniform(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    if (at->lanes != EMU_NONE || at->write || at->object == EMU_NONE) return false;
    emu_touch t = begin(vm, i);
    find_object(&t, at->object);
    t.offset = emu_lane_offset(vm, at, 0);
    if (at->align > 1 && ((uint64_t)t.offset & (at->align - 1u)) != 0) return false;
    return bounds_of(&t) == EMU_FAULT_NONE && written_of(&t) == NULL && area_of(&t) == NULL;
}

/* Is a record ordered before all lanes of the one threadgroup that runs, whose lanes have passed the same barriers? */
static bool is_past(const emu_touch *t, const emu_side *s, int64_t rec)
{
    const int64_t own = s->base & SHADOW_OWN;
    return (shadow_shared(t->area) ? rec == 0 : rec < own) || (rec >= own && rec < (own | s->level));
}

/* Has nothing to be found where all active lanes read the granule at once? */
static bool is_calm(const emu_touch *t, const emu_side *s, uint64_t k)
{
    const bool first_write = !shadow_shared(t->area) && (t->c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0;
    const int64_t writer = emu_touch_cell(t->area, k).writer;
    return is_past(t, s, writer) && !(first_write && writer < (s->base & SHADOW_OWN));
}

/* The same of memory that is watched, where one threadgroup runs: as if the first and the last of the active lanes did. */
static bool is_read_together(emu_vm *vm, const emu_insn *i)
{
    const emu_access *at = i->access;
    if (at->lanes != EMU_NONE || at->write || at->object == EMU_NONE || vm->lanes > vm->group_threads) return false;
    emu_touch t = begin(vm, i);
    find_object(&t, at->object);
    t.offset = emu_lane_offset(vm, at, 0);
    if (bounds_of(&t) != EMU_FAULT_NONE || written_of(&t) != NULL) return false;
    if (at->align > 1 && ((uint64_t)t.offset & (at->align - 1u)) != 0) return false;
    t.area = area_of(&t);
    if (t.area == NULL || !t.c->side[t.area->memory].uniform || at->atomic) return false;
    const emu_area *a = t.area;
    const char *bytes = t.o->base + t.offset;
    const uint64_t from = (uint64_t)(bytes - a->base);
    for (uint64_t k = from >> a->shift; k <= (from + t.size - 1) >> a->shift; ++k)
        if (!is_calm(&t, &t.c->side[a->memory], k)) return false;
    t.lane = vm->masks[vm->top].lo;
    if (!emu_touch_area(&t, t.area, bytes)) return false;
    t.lane = vm->masks[vm->top].hi - 1;
    return emu_touch_area(&t, t.area, bytes);
}

/* Of a matrix's access: do all threads of each simdgroup take part in it, or none? The first that does alone is noted. False to
 * stop. */
static bool check_collective(emu_vm *vm, const emu_insn *i)
{
    for (uint32_t from = 0; from < vm->lanes; from += EMU_SIMD_LANES) {
        uint32_t active = 0, first = from;
        for (uint32_t lane = from; lane < from + EMU_SIMD_LANES && lane < vm->lanes; ++lane) {
            if (!emu_active(vm, lane)) continue;
            if (active++ == 0) first = lane;
        }
        if (active == 0 || active == EMU_SIMD_LANES) continue;
        const emu_fault f = {.kind = EMU_FAULT_BARRIER_PARTIAL, .insn = i, .lane = first};
        if (!emu_note(vm, &f)) return false;
    }
    return true;
}

const emu_insn *emu_check_access(emu_vm *vm, const emu_insn *i)
{
    if (i->access->collective && !check_collective(vm, i)) return NULL;
    if (is_plain_uniform(vm, i)) return i + 1;
    emu_watch_relieve(vm->check->watch);
    if (is_read_together(vm, i)) return i + 1;
    const emu_mask *m = &vm->masks[vm->top];
    uint8_t barred[EMU_MAX_CHUNKS * EMU_CHUNK];
    bool any = false;
    emu_touch t = begin(vm, i);
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
            const emu_fault f = emu_touch_fault(&t, rule);
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

static bool check_private_lane(emu_touch *t)
{
    const emu_access *at = t->insn->access;
    for (uint32_t b = 0; b < t->size && at->watched; ++b) {
        uint8_t *w = private_written(t->vm, at, t->lane, (uint64_t)t->offset + b);
        if (t->write) *w = 1;
        else if (*w == 0) {
            const emu_fault f = emu_touch_fault(t, EMU_FAULT_UNINIT_ARRAY);
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
    emu_touch t = begin(vm, i);
    t.object = i->access->object;
    for (uint32_t lane = m->lo; lane < m->hi; ++lane) {
        barred[lane] = 0;
        if (!emu_active(vm, lane)) continue;
        t.lane = lane;
        t.offset = emu_lane_offset(vm, i->access, lane);
        if (t.size > i->access->size || (uint64_t)t.offset > i->access->size - t.size) {
            if ((t.c->checks >> EMU_CHECK_BOUNDS & 1u) == 0) return i + 1;
            const emu_fault f = emu_touch_fault(&t, EMU_FAULT_BOUNDS);
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
