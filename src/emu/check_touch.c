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

/* Are they of one simdgroup? */
static bool is_close(int64_t a, int64_t b)
{
    return ((a ^ b) & SHADOW_OWN) == 0 && shadow_lane(a) / EMU_SIMD_LANES == shadow_lane(b) / EMU_SIMD_LANES;
}

/* A simdgroup's matrix operations are of the whole simdgroup, in the order of the text. */
static bool both_collective(const emu_touch *t, int64_t rec)
{
    if (!t->insn->access->collective || !site_of(t->c, rec).collective) return false;
    return is_close(rec, t->rec);
}

static bool ordered(const emu_touch *t, int64_t rec)
{
    if (shadow_ordered(side_of(t), shadow_shared(t->area), rec, t->lane)) return true;
    if (t->c->watch->simdgroups && is_close(rec, t->rec) && rec < shadow_simd(side_of(t), t->lane)) return true;
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
    else if (group) rule = is_close(rec, t->rec) ? EMU_FAULT_RACE_SIMD : EMU_FAULT_RACE_GROUP;
    emu_fault f = emu_touch_fault(t, rule);
    f.other = site.at;
    f.other_has_thread = true;
    f.other_index = shadow_lane(rec);
    /* threadgroup memory has tags of its own, but is always the lane's own threadgroup's */
    const int64_t tag = shadow_shared(t->area) ? shadow_tag(rec) : shadow_tag(shadow_who(&t->c->side[SHADOW_DEVICE], t->lane));
    f.other_group = (uint64_t)(tag - SHADOW_FIRST_TAG);
    f.detail = (other_writes ? EMU_RACE_OTHER_WRITES : 0) | (other_writes && same_value(t, rec) ? EMU_RACE_SAME_VALUE : 0);
    return emu_note(t->vm, &f);
}

/* What of a granule's records changes: they become the access's. A plain write makes those of the readers needless: whatever is
 * ordered after it is ordered after them. */
enum { SET_WRITER = 1, SET_READER = 2, SET_OTHER = 4 };

/* Are they of one thread and one clock? */
static bool same_moment(int64_t a, int64_t b)
{
    return (a ^ b) >> SHADOW_LANE == 0;
}

/* As which reader does the lane stay known? */
static unsigned note_reader(const emu_touch *t, const emu_cell *m)
{
    const bool shared = shadow_shared(t->area);
    /* its own write is met by all that its read would meet */
    if (shared && (same_moment(m->writer, t->rec) || same_moment(m->reader, t->rec))) return 0;
    if (shadow_ordered(side_of(t), shared, m->reader, t->lane)) return SET_READER;
    if (shadow_ordered(side_of(t), shared, m->other, t->lane)) return SET_OTHER;
    /* of the second reader: better one of another simdgroup than the first's, as those two share no simdgroup_barrier */
    const bool better = t->c->watch->simdgroups && is_close(m->other, m->reader) && !is_close(t->rec, m->reader);
    return better ? SET_OTHER : 0;
}

static bool unwritten(const emu_touch *t, const emu_cell *m)
{
    return (t->c->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0 && !shadow_shared(t->area) && m->writer < (t->rec & SHADOW_OWN);
}

static bool touch_read(const emu_touch *t, const emu_cell *m, unsigned *set)
{
    if (unwritten(t, m)) {
        const emu_fault f = emu_touch_fault(t, EMU_FAULT_UNINIT_THREADGROUP);
        return emu_note(t->vm, &f);
    }
    if ((t->c->checks >> EMU_CHECK_RACE & 1u) == 0 || (t->atomic && t->write)) return true;
    if (!ordered(t, m->writer)) return race(t, m->writer, true);
    if (!t->write) *set |= note_reader(t, m);
    return true;
}

static bool touch_write(const emu_touch *t, const emu_cell *m, unsigned *set)
{
    *set |= SET_WRITER;
    if ((t->c->checks >> EMU_CHECK_RACE & 1u) == 0) return true;
    if (!ordered(t, m->writer)) return race(t, m->writer, true);
    if (!ordered(t, m->reader)) return race(t, m->reader, false);
    return ordered(t, m->other) || race(t, m->other, false);
}

/* Looks at the granule's records. False to stop. */
static bool judge(const emu_touch *t, const emu_cell *m, unsigned *set)
{
    if (t->atomic && t->c->watch->atomics) {
        const bool other = (m->writer & SHADOW_SAME) != (t->rec & SHADOW_SAME);
        const bool acquires = t->read && other && m->writer != 0 && site_of(t->c, m->writer).atomic;
        emu_hand_over(t->vm, acquires, t->write, (shadow_memory)t->area->memory, t->lane);
    }
    const bool on = !t->read || touch_read(t, m, set);
    return on && (!t->write || touch_write(t, m, set));
}

static bool touch_own(const emu_touch *t, uint64_t k)
{
    emu_area *a = t->area;
    const emu_cell m = {a->writer[k], a->reader[k], a->other[k]};
    unsigned set = 0;
    const bool on = judge(t, &m, &set);
    if ((set & SET_WRITER) != 0) a->writer[k] = t->rec;
    if ((set & SET_READER) != 0) a->reader[k] = t->rec;
    if ((set & SET_OTHER) != 0) a->other[k] = t->rec;
    return on;
}

/* Shared memory. */

static uint8_t *take_lock(const emu_area *a, uint64_t granule)
{
    uint8_t *lock = a->locks != NULL ? shadow_lock_of(a, granule) : NULL;
    if (lock != NULL) shadow_lock(lock);
    return lock;
}

static void leave_lock(uint8_t *lock)
{
    if (lock != NULL) shadow_unlock(lock);
}

static emu_cell cell_of(const emu_records *r, const uint32_t words[RECORD_SLOTS])
{
    bool writes, any;
    const int64_t first = emu_records_unpack(r, words[0], &writes), second = emu_records_unpack(r, words[1], &any);
    if (!writes) return (emu_cell){0, first, second};
    return (emu_cell){first, second, emu_records_unpack(r, words[2], &any)};
}

/* Puts what is set into the slots, which held those words. The first slot is the writer's, where there is one. */
static void set_slots(const emu_touch *t, emu_line *l, emu_stretch *run, const uint32_t words[RECORD_SLOTS], bool written, unsigned set)
{
    emu_records *r = t->area->records;
    if (set == 0) return;
    run->first = emu_records_pack(r, &t->c->epochs, t->rec, t->write);
    if ((set & SET_WRITER) == 0) {
        emu_records_put(r, l, ((set & SET_READER) != 0 ? 0u : 1u) + (written ? 1u : 0u), run);
        return;
    }
    emu_records_put(r, l, 0, run);
    for (unsigned slot = 1; slot < RECORD_SLOTS; ++slot) {
        /* an atomic write is not ordered with atomic reads before it: those stay */
        const emu_stretch rest = {run->granules, t->atomic ? words[written ? slot : slot - 1] : 0, run->spread};
        emu_records_put(r, l, slot, &rest);
    }
}

static bool touch_shared(const emu_touch *t, uint64_t k)
{
    emu_area *a = t->area;
    emu_line *line = &a->lines[k / RECORD_LINE];
    emu_stretch run = {.granules = 1u << k % RECORD_LINE};
    uint32_t words[RECORD_SLOTS];
    uint8_t *lock = take_lock(a, k);
    (void)emu_records_get(a->records, line, &run, words);
    const emu_cell m = cell_of(a->records, words);
    unsigned set = 0;
    const bool on = judge(t, &m, &set);
    set_slots(t, line, &run, words, m.writer != 0, set);
    leave_lock(lock);
    return on;
}

emu_cell emu_touch_cell(const emu_area *a, uint64_t k)
{
    if (!shadow_shared(a)) return (emu_cell){a->writer[k], a->reader[k], a->other[k]};
    const emu_stretch run = {.granules = 1u << k % RECORD_LINE};
    uint32_t words[RECORD_SLOTS];
    uint8_t *lock = take_lock(a, k);
    (void)emu_records_get(a->records, &a->lines[k / RECORD_LINE], &run, words);
    const emu_cell m = cell_of(a->records, words);
    leave_lock(lock);
    return m;
}

bool emu_touch_area(emu_touch *t, emu_area *area, const char *at)
{
    t->area = area;
    t->rec = shadow_who(side_of(t), t->lane) | emu_checker_now(t->c, t->insn);
    const uint64_t from = (uint64_t)(at - area->base);
    for (uint64_t k = from >> area->shift; k <= (from + t->size - 1) >> area->shift; ++k)
        if (!(shadow_shared(area) ? touch_shared(t, k) : touch_own(t, k))) return false;
    return true;
}

/* Granules of one line that lanes of a run have, as the first of them: with what is there alike for all, barriers order all or
 * none. */
static bool touch_line(const emu_touch *t, emu_line *line, emu_stretch *run)
{
    uint32_t words[RECORD_SLOTS];
    emu_records *r = t->area->records;
    if (emu_line_is_fresh(r, line)) {
        run->first = emu_records_pack(r, &t->c->epochs, t->rec, t->write);
        if (run->first != 0) emu_line_begin(line, run);
        return true;
    }
    if (!emu_records_get(r, line, run, words)) return false;
    const emu_cell m = cell_of(r, words);
    const emu_side *s = side_of(t);
    if (!shadow_ordered(s, true, m.writer, t->lane)) return false;
    if (t->write && !(shadow_ordered(s, true, m.reader, t->lane) && shadow_ordered(s, true, m.other, t->lane))) return false;
    set_slots(t, line, run, words, m.writer != 0, t->write ? SET_WRITER : note_reader(t, &m));
    return true;
}

bool emu_touch_run(emu_touch *t, emu_area *area, uint64_t k, uint8_t spread, const uint8_t *on)
{
    const uint32_t lane = t->lane, all = (uint32_t)EMU_CHUNK << spread;
    if ((k & ((1u << spread) - 1)) != 0) return false;
    t->area = area;
    for (uint32_t from = 0, n; from < all; from += n) {
        const uint32_t lo = (uint32_t)((k + from) % RECORD_LINE);
        n = RECORD_LINE - lo < all - from ? RECORD_LINE - lo : all - from;
        emu_stretch run = {.granules = ((1u << n) - 1) << lo, .spread = spread};
        for (uint32_t j = 0; on != NULL && j < n; ++j)
            if (on[(from + j) >> spread] == 0) run.granules &= ~(1u << (lo + j));
        if (run.granules == 0) continue;
        t->lane = lane + ((from + (uint32_t)__builtin_ctz(run.granules) - lo) >> spread);
        t->rec = shadow_who(side_of(t), t->lane) | emu_checker_now(t->c, t->insn);
        uint8_t *lock = take_lock(area, k + from);
        const bool done = touch_line(t, &area->lines[(k + from) / RECORD_LINE], &run);
        leave_lock(lock);
        if (!done) return false;
    }
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
