/* What a worker keeps for the checks: findings until the run's end, its threadgroup memory, the clock of barriers. */
#include "emu/check.h"

#include <string.h>

#include "emu/code.h"
#include "emu/mask.h"

/* Findings. */

/* Races of plain accesses are one thing, whichever threads they were met between. */
static bool same_event(const emu_fault *a, const emu_fault *b)
{
    return (a->kind == b->kind || (emu_rule_is_plain_race(a->kind) && emu_rule_is_plain_race(b->kind))) && a->insn == b->insn && a->other.file == b->other.file && a->other.begin == b->other.begin &&
           a->other.end == b->other.end && a->object == b->object;
}

bool emu_event_join(const ingot_allocator *mem, emu_event **list, size_t *count, size_t *cap, const emu_event *e)
{
    enum { MOST = 512 }; /* of one launch; far past what anybody reads */
    for (size_t i = 0; i < *count; ++i) {
        emu_event *at = &(*list)[i];
        if (!same_event(&at->fault, &e->fault)) continue;
        at->times += e->times;
        /* of a race the widest reach is told: what orders that orders all */
        const bool wider = e->fault.kind > at->fault.kind;
        const bool earlier = e->batch < at->batch;
        if (wider || (earlier && e->fault.kind == at->fault.kind)) {
            at->fault = e->fault;
            memcpy(at->first, e->first, sizeof at->first);
        }
        if (earlier) at->order = e->order;
        if (earlier) at->batch = e->batch;
        return true;
    }
    if (*count == MOST) return true;
    if (*count == *cap) {
        const size_t more = *cap == 0 ? 16 : *cap * 2;
        emu_event *at = mem_resize(mem, *list, *cap * sizeof *at, more * sizeof *at);
        if (at == NULL) return false;
        *list = at;
        *cap = more;
    }
    (*list)[(*count)++] = *e;
    return true;
}

/* Few: by insertion. */
void emu_events_sort(emu_event *list, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const emu_event e = list[i];
        size_t k = i;
        for (; k > 0 && (list[k - 1].batch > e.batch || (list[k - 1].batch == e.batch && list[k - 1].order > e.order)); --k)
            list[k] = list[k - 1];
        list[k] = e;
    }
}

bool emu_note(emu_vm *vm, const emu_fault *fault)
{
    if (!vm->check->collect) {
        vm->fault = *fault;
        return false;
    }
    emu_checker *c = vm->check;
    const emu_event e = {*fault, c->program, {c->first[0], c->first[1], c->first[2]}, c->batch, c->order++, 1};
    if (!emu_event_join(c->mem, &c->events, &c->event_count, &c->event_cap, &e)) c->no_memory = true;
    return true;
}

/* Workers. */

emu_checker *emu_checker_make(const ingot_allocator *mem, size_t objects)
{
    emu_checker *c = mem_zeroed(mem, 1, sizeof *c);
    if (c == NULL) return NULL;
    c->mem = mem;
    c->areas = mem_zeroed(mem, objects, sizeof *c->areas);
    c->written = mem_zeroed(mem, objects, sizeof *c->written);
    if (c->areas != NULL && c->written != NULL) return c;
    emu_checker_free(c, objects);
    return NULL;
}

void emu_checker_free(emu_checker *c, size_t objects)
{
    if (c == NULL) return;
    mem_free(c->mem, c->group.writer, c->group_words * sizeof *c->group.writer);
    mem_free(c->mem, c->areas, objects * sizeof *c->areas);
    mem_free(c->mem, c->written, objects * sizeof *c->written);
    mem_free(c->mem, c->events, c->event_cap * sizeof *c->events);
    mem_free(c->mem, c, sizeof *c);
}

static bool is_group(const emu_object_info *o)
{
    return o->kind == EMU_OBJECT_THREADGROUP || o->kind == EMU_OBJECT_LENGTH;
}

void emu_checker_start(emu_checker *c, emu_watch *w, const emu_program *p, size_t site_base, const emu_object *objects)
{
    const emu_launch *l = w->launch;
    const bool firsts = (l->checks >> EMU_CHECK_UNINITIALISED & 1u) != 0;
    c->watch = w;
    c->program = p;
    c->checks = l->checks;
    c->collect = l->findings != NULL && !l->stop;
    c->event_count = 0;
    c->order = 0;
    c->no_memory = false;
    c->touches = firsts || (l->checks >> EMU_CHECK_RACE & 1u) != 0;
    const bool known = w->site_count <= SHADOW_SITES;
    c->site_base = known ? (int64_t)site_base : 0;
    c->site_mask = known ? SHADOW_SITES - 1 : 0;
    for (int m = 0; m < SHADOW_MEMORIES; ++m) c->side[m].stride = 0;
    for (size_t i = 1; i < p->objects.n; ++i) {
        const emu_object_info *o = &p->objects.at[i];
        const bool buffer = o->kind == EMU_OBJECT_BUFFER && objects[i].base != NULL;
        if (!c->touches) c->areas[i] = NULL;
        else c->areas[i] = is_group(o) ? &c->group : buffer ? emu_watch_area(w, objects[i].base) : NULL;
        c->written[i] = firsts && buffer && l->written != NULL ? l->written[o->slot] : NULL;
    }
}

bool emu_checker_watch_group(emu_checker *c, char *threadgroup, uint64_t bytes)
{
    const emu_program *p = c->program;
    emu_area *a = &c->group;
    unsigned granule = 8;
    for (size_t i = 1; i < p->objects.n; ++i)
        if (is_group(&p->objects.at[i]) && p->uses[i].granule != 0 && p->uses[i].granule < granule) granule = p->uses[i].granule;
    const uint8_t shift = emu_watch_shift(granule);
    const size_t granules = (size_t)(bytes >> shift) + 1, words = granules * 3;
    if (words > c->group_words) {
        mem_free(c->mem, a->writer, c->group_words * sizeof *a->writer);
        a->writer = mem_zeroed(c->mem, words, sizeof *a->writer);
        c->group_words = a->writer != NULL ? words : 0;
        c->group_tag = 0;
        if (a->writer == NULL) return false;
    }
    *a = (emu_area){.base = threadgroup, .size = bytes, .shift = shift, .writer = a->writer};
    a->reader = a->writer + granules;
    a->other = a->reader + granules;
    return true;
}

enum { REUSE = SHADOW_TAGS - SHADOW_FIRST_TAG - 1 }; /* a grid of more threadgroups uses tags again: some races are then not seen */

/* The lanes' tags beside that of the first one: those of its threadgroup and of those after it, `stride` apart. */
static void relate_lanes(emu_side *s, const emu_vm *vm, uint64_t stride)
{
    s->stride = stride;
    for (uint32_t k = 0; k < vm->width && k < SHADOW_LANES; ++k) {
        const uint64_t member = k / vm->group_threads;
        s->rel[k] = (int64_t)(stride * member % REUSE) << SHADOW_TAG | (int64_t)(k % vm->group_threads) << SHADOW_LANE;
    }
}

/* For the batch whose first threadgroup has that tag. */
static void set_lanes(emu_side *s, const emu_vm *vm, int64_t tag, uint64_t stride)
{
    const emu_watch *w = vm->check->watch;
    if (s->stride != stride) relate_lanes(s, vm, stride);
    s->base = tag << SHADOW_TAG;
    s->level = 0;
    s->uniform = !w->atomics && !w->simdgroups;
    for (uint32_t k = 0; k < vm->lanes && !s->uniform; ++k) s->fence[k] = s->simd[k] = s->fenced[k] = shadow_own(s, k);
}

void emu_side_part(emu_side *s, uint32_t lanes)
{
    for (uint32_t k = 0; k < lanes; ++k) s->fence[k] = s->simd[k] = s->fenced[k] = shadow_own(s, k) | s->level;
    s->uniform = false;
}

void emu_checker_batch(emu_checker *c, emu_vm *vm, const uint32_t first[3], uint64_t at, uint64_t stride)
{
    emu_watch *w = c->watch;
    memcpy(c->first, first, sizeof c->first);
    c->batch = at;
    c->clock = 1;
    for (int m = SHADOW_DEVICE; m <= (w->has_textures ? SHADOW_TEXTURE : SHADOW_DEVICE); ++m) {
        set_lanes(&c->side[m], vm, SHADOW_FIRST_TAG + (int64_t)(at % REUSE), stride);
    }
    c->last_tag = shadow_tag(shadow_who(&c->side[SHADOW_DEVICE], vm->lanes - 1));
    const uint32_t members = (vm->lanes + vm->group_threads - 1) / vm->group_threads;
    if (c->group_tag + members + 1 >= SHADOW_TAGS) {
        memset(c->group.writer, 0, c->group_words * sizeof *c->group.writer);
        c->group_tag = 0;
    }
    if (c->group.size != 0) set_lanes(&c->side[SHADOW_GROUP], vm, c->group_tag + 1, 1);
    c->group_tag += members;
    if (c->has_left) memset(c->left_at, 0, sizeof c->left_at);
    c->has_left = false;
}

/* Records of threadgroup memory of the current threadgroups count as ordered before all that follows. */
static void age_group(emu_area *a, int64_t from, int64_t to)
{
    const size_t granules = (size_t)(a->size >> a->shift) + 1;
    int64_t *const lists[] = {a->writer, a->reader, a->other};
    for (int l = 0; l < 3; ++l)
        for (size_t k = 0; lists[l] != NULL && k < granules; ++k)
            if (lists[l][k] >= from && lists[l][k] < to) lists[l][k] &= ~((int64_t)(SHADOW_CLOCKS - 1) << SHADOW_CLOCK);
}

/* Takes, or gives back, all of shared memory. */
static void lock_all(const emu_watch *w, bool take)
{
    for (int k = 0; w->locks != NULL && k < SHADOW_LOCKS; ++k) {
        uint8_t *lock = &w->locks[k * SHADOW_LINE];
        if (take) shadow_lock(lock);
        else shadow_unlock(lock);
    }
}

void emu_watch_relieve(emu_watch *w)
{
    if (w->records == NULL || !emu_records_crowded(w->records)) return;
    lock_all(w, true);
    if (emu_records_crowded(w->records)) emu_records_collect(w->records);
    lock_all(w, false);
}

void emu_checker_tick(emu_checker *c)
{
    if (++c->clock < SHADOW_CLOCKS - 1) return;
    /* rare: a threadgroup that passes more barriers than the clock can count begins anew */
    c->clock = 1;
    age_group(&c->group, shadow_own(&c->side[SHADOW_GROUP], 0), (c->group_tag + 1) << SHADOW_TAG);
    emu_watch *w = c->watch;
    const int64_t own = shadow_own(&c->side[SHADOW_DEVICE], 0);
    lock_all(w, true);
    if (w->records != NULL) emu_records_age(w->records, shadow_tag(own), c->last_tag + 1);
    lock_all(w, false);
    emu_handings_age(w, shadow_tag(own), c->last_tag);
    for (int m = 0; m < SHADOW_MEMORIES; ++m) {
        emu_side *side = &c->side[m];
        side->level = (int64_t)1 << SHADOW_CLOCK;
        if (!side->uniform) emu_side_part(side, SHADOW_LANES);
    }
}
