/* What the checks of a run keep: findings until the run's end, watched memory, the clock of barriers, work handed on by
 * atomics. */
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

/* Work handed on by atomics. A thread that has passed a fence of device scope (or a barrier with the memory's flag)
 * releases by its next atomic write what came before; a thread whose atomic read meets another thread's atomic write
 * acquires all that was released by then. That is more than the text may say, so a race may go unseen; none is made up. */

static emu_handings *handings_of(emu_watch *w, int64_t tag, bool make)
{
    emu_handings **slot = &w->handed[(uint64_t)tag % (sizeof w->handed / sizeof *w->handed)];
    for (emu_handings *h = *slot; h != NULL; h = h->next)
        if (h->tag == tag) return h;
    emu_handings *h = make ? mem_zeroed(w->mem, 1, sizeof *h) : NULL;
    if (h == NULL) {
        w->no_memory = w->no_memory || make;
        return NULL;
    }
    h->tag = tag;
    h->next = *slot;
    *slot = h;
    return h;
}

/* Among many of one threadgroup the latest of a lane takes in what follows, as if that had been released, or acquired, then:
 * more than the text says, so no race is made up. */
static void fold_handing(emu_handing *at, const emu_handing *one)
{
    if (!one->release) {
        at->seq = one->seq;
        return;
    }
    at->before = one->before > at->before ? one->before : at->before;
    at->simd = one->simd > at->simd ? one->simd : at->simd;
    at->fence = one->fence > at->fence ? one->fence : at->fence;
}

static void add_handing(emu_watch *w, int64_t tag, const emu_handing *one)
{
    enum { MANY = 1024 };
    emu_handings *h = handings_of(w, tag, true);
    if (h == NULL) return;
    emu_handing *latest = NULL;
    for (uint32_t i = 0; i < h->n; ++i) {
        emu_handing *at = &h->at[i];
        if (at->lane != one->lane || at->release != one->release || at->device != one->device) continue;
        latest = at;
        if (at->release && at->before == one->before && at->simd == one->simd && at->fence == one->fence)
            return; /* the earlier one covers it */
        if (!at->release && at->fence == one->fence) {
            at->seq = one->seq;
            return;
        }
    }
    if (h->n >= MANY && latest != NULL) {
        fold_handing(latest, one);
        return;
    }
    if (h->n == h->cap) {
        const uint32_t cap = h->cap == 0 ? 2 : h->cap * 2;
        emu_handing *at = mem_resize(w->mem, h->at, h->cap * sizeof *at, cap * sizeof *at);
        if (at == NULL) {
            w->no_memory = true;
            return;
        }
        h->at = at;
        h->cap = cap;
    }
    h->at[h->n++] = *one;
}

void emu_hand_over(emu_vm *vm, bool acquires, bool writes, bool device, uint32_t lane)
{
    emu_checker *c = vm->check;
    emu_watch *w = c->watch;
    const int64_t tag = shadow_tag(c->device_side.who[lane]);
    (void)pthread_mutex_lock(&w->lock);
    const uint32_t own = lane % vm->group_threads;
    const int64_t now = (c->device_side.who[lane] & SHADOW_OWN) | (int64_t)c->clock << SHADOW_CLOCK;
    if (acquires) {
        const emu_handing h = {.seq = ++w->seq, .fence = now, .lane = own, .device = device};
        add_handing(w, tag, &h);
    }
    for (int d = 0; d < 2 && writes; ++d) {
        const emu_side *s = d == 0 ? &c->group_side : &c->device_side;
        if (s->fenced[lane] <= (s->who[lane] & SHADOW_OWN)) continue;
        const emu_handing h = {.seq = ++w->seq, .before = s->fenced[lane], .simd = w->simdgroups ? s->simd[lane] : s->fence[lane],
                               .fence = s->fence[lane], .lane = own, .release = true, .device = d == 1};
        add_handing(w, tag, &h);
    }
    (void)pthread_mutex_unlock(&w->lock);
}

/* When the lane last passed a barrier of its threadgroup, and (`simd`) of its simdgroup, in memory of either kind. */
static uint32_t last_barrier(const emu_checker *c, uint32_t lane, bool simd)
{
    const emu_side *d = &c->device_side, *g = &c->group_side;
    const uint32_t device = shadow_clock(simd ? d->simd[lane] : d->fence[lane]);
    const uint32_t group = shadow_clock(simd ? g->simd[lane] : g->fence[lane]);
    return device > group ? device : group;
}

/* The latest moment up to which the lane has seen what others released: by itself, or by a thread that a barrier has met
 * since. */
static uint64_t acquired(emu_vm *vm, int64_t tag, uint32_t lane)
{
    const emu_handings *h = handings_of(vm->check->watch, tag, false);
    const emu_checker *c = vm->check;
    const uint32_t own = lane % vm->group_threads, barrier = last_barrier(c, lane, false);
    const uint32_t simd = c->watch->simdgroups ? last_barrier(c, lane, true) : barrier;
    uint64_t best = 0;
    for (uint32_t i = 0; h != NULL && i < h->n; ++i) {
        const emu_handing *a = &h->at[i];
        if (a->release || a->seq <= best) continue;
        const uint32_t at = shadow_clock(a->fence), met = a->lane / EMU_SIMD_LANES == own / EMU_SIMD_LANES ? simd : barrier;
        if (a->lane == own || at < barrier || at < met) best = a->seq;
    }
    return best;
}

bool emu_handed(emu_vm *vm, int64_t rec, bool device, uint32_t lane)
{
    emu_checker *c = vm->check;
    emu_watch *w = c->watch;
    if (!w->atomics) return false;
    const int64_t mine = shadow_tag(c->device_side.who[lane]);
    const int64_t tag = device ? shadow_tag(rec) : mine;
    bool found = false;
    (void)pthread_mutex_lock(&w->lock);
    const uint64_t seen = acquired(vm, mine, lane);
    const emu_handings *h = seen != 0 ? handings_of(w, tag, false) : NULL;
    for (uint32_t i = 0; h != NULL && i < h->n && !found; ++i) {
        const emu_handing *r = &h->at[i];
        if (!r->release || r->device != device || r->seq > seen) continue;
        found = rec < r->fence || (r->lane == shadow_lane(rec) && rec < r->before) ||
                (r->lane / EMU_SIMD_LANES == shadow_lane(rec) / EMU_SIMD_LANES && rec < r->simd);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return found;
}

/* Watched memory. */

typedef struct range {
    char *from, *to;
    bool read, write;
    uint8_t shift;
} range;

static uint8_t shift_of(unsigned bytes)
{
    return (uint8_t)(bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0);
}

/* What the programs do with the buffer at a slot. */
static emu_use use_of(const emu_program *const *programs, size_t count, uint32_t slot)
{
    emu_use all = {.reads = false};
    for (size_t k = 0; k < count; ++k) {
        for (size_t i = 1; i < programs[k]->objects.n; ++i) {
            const emu_object_info *o = &programs[k]->objects.at[i];
            const emu_use *u = &programs[k]->uses[i];
            if (o->kind != EMU_OBJECT_BUFFER || o->slot != slot || u->granule == 0) continue;
            all.reads = all.reads || u->reads;
            all.writes = all.writes || u->writes;
            if (all.granule == 0 || u->granule < all.granule) all.granule = u->granule;
        }
    }
    return all;
}

/* Buffers as ranges; those that lie on one another become one. */
static size_t find_ranges(const emu_launch *l, const emu_program *const *programs, size_t count, range *out)
{
    size_t n = 0;
    for (uint32_t slot = 0; slot < l->buffer_count && slot < EMU_MAX_BUFFERS; ++slot) {
        const emu_use u = use_of(programs, count, slot);
        char *base = l->buffers[slot].data;
        if (u.granule == 0 || base == NULL || l->buffers[slot].size == 0) continue;
        range r = {base, base + l->buffers[slot].size, u.reads, u.writes, shift_of(u.granule)};
        for (size_t k = 0; k < n;) {
            if (out[k].from >= r.to || out[k].to <= r.from) {
                ++k;
                continue;
            }
            r.from = out[k].from < r.from ? out[k].from : r.from;
            r.to = out[k].to > r.to ? out[k].to : r.to;
            r.read = r.read || out[k].read;
            r.write = r.write || out[k].write;
            r.shift = out[k].shift < r.shift ? out[k].shift : r.shift;
            out[k] = out[--n];
            k = 0;
        }
        out[n++] = r;
    }
    return n;
}

static size_t granules_of(const range *r)
{
    return ((size_t)(r->to - r->from) >> r->shift) + 1;
}

/* Words for all records, clear or with tags below the floor. */
static bool take_words(emu_watch *w, emu_store *store, size_t need)
{
    const bool wraps = store->next_tag + (int64_t)w->groups + 1 >= SHADOW_TAGS;
    if (store->words == NULL || store->count < need) {
        mem_free(w->mem, store->words, store->count * sizeof *store->words);
        store->words = mem_zeroed(w->mem, need, sizeof *store->words);
        store->count = store->words != NULL ? need : 0;
        store->next_tag = 1;
    } else if (wraps) {
        memset(store->words, 0, store->count * sizeof *store->words);
        store->next_tag = 1;
    }
    w->floor_tag = store->next_tag;
    store->next_tag += (int64_t)w->groups;
    if (store->next_tag >= SHADOW_TAGS) store->next_tag = SHADOW_TAGS; /* the next launch clears */
    return store->words != NULL;
}

/* The places of several programs as one list. */
static bool join_sites(emu_watch *w, const emu_program *const *programs, size_t count)
{
    w->sites = programs[0]->sites;
    w->site_count = 0;
    for (size_t k = 0; k < count; ++k) w->site_count += programs[k]->site_count;
    if (count == 1 || w->site_count > SHADOW_SITES) return true;
    w->joined = mem_zeroed(w->mem, w->site_count, sizeof *w->joined);
    if (w->joined == NULL) return false;
    size_t at = 0;
    for (size_t k = 0; k < count; ++k) {
        memcpy(w->joined + at, programs[k]->sites, programs[k]->site_count * sizeof *w->joined);
        at += programs[k]->site_count;
    }
    w->sites = w->joined;
    return true;
}

bool emu_watch_open(emu_watch *w, const emu_program *const *programs, size_t count, emu_store *store)
{
    range ranges[EMU_MAX_BUFFERS];
    w->device_count = find_ranges(w->launch, programs, count, ranges);
    for (size_t k = 0; k < count; ++k) {
        w->atomics = w->atomics || programs[k]->hands_on;
        w->simdgroups = w->simdgroups || programs[k]->simdgroups;
    }
    size_t need = 1;
    for (size_t k = 0; k < w->device_count; ++k)
        if (ranges[k].write) need += granules_of(&ranges[k]) * (ranges[k].read ? 3 : 1);
    if (!join_sites(w, programs, count) || !take_words(w, store, need)) return false;
    int64_t *at = store->words;
    for (size_t k = 0; k < w->device_count; ++k) {
        emu_area *a = &w->device[k];
        const size_t granules = granules_of(&ranges[k]);
        *a = (emu_area){.base = ranges[k].from, .size = (uint64_t)(ranges[k].to - ranges[k].from),
                        .shift = ranges[k].shift, .device = true,
                        .locks = emu_pool_threads(w->launch->pool) > 1 ? w->locks : NULL};
        if (!ranges[k].write) continue;
        a->writer = at;
        a->reader = ranges[k].read ? at + granules : NULL;
        a->other = ranges[k].read ? at + 2 * granules : NULL;
        at += granules * (ranges[k].read ? 3 : 1);
    }
    return true;
}

void emu_watch_close(emu_watch *w)
{
    mem_free(w->mem, w->joined, w->site_count * sizeof *w->joined);
    for (size_t i = 0; i < sizeof w->handed / sizeof *w->handed; ++i) {
        while (w->handed[i] != NULL) {
            emu_handings *next = w->handed[i]->next;
            mem_free(w->mem, w->handed[i]->at, w->handed[i]->cap * sizeof *w->handed[i]->at);
            mem_free(w->mem, w->handed[i], sizeof *w->handed[i]);
            w->handed[i] = next;
        }
    }
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

/* The watched area that a buffer lies in, or NULL. */
static emu_area *area_of(emu_watch *w, const char *base)
{
    for (size_t k = 0; k < w->device_count; ++k) {
        emu_area *a = &w->device[k];
        if (a->writer != NULL && base >= a->base && base < a->base + a->size) return a;
    }
    return NULL;
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
    const bool touches = firsts || (l->checks >> EMU_CHECK_RACE & 1u) != 0; /* records are wanted */
    const bool known = w->site_count <= SHADOW_SITES;
    c->site_base = known ? (int64_t)site_base : 0;
    c->site_mask = known ? SHADOW_SITES - 1 : 0;
    for (size_t i = 1; i < p->objects.n; ++i) {
        const emu_object_info *o = &p->objects.at[i];
        const bool buffer = o->kind == EMU_OBJECT_BUFFER && objects[i].base != NULL;
        if (!touches) c->areas[i] = NULL;
        else c->areas[i] = is_group(o) ? &c->group : buffer ? area_of(w, objects[i].base) : NULL;
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
    const uint8_t shift = shift_of(granule);
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

/* Tags of the lanes' threadgroups: base + (first + stride * member). */
static void set_lanes(emu_side *s, const emu_vm *vm, int64_t base, uint64_t first, uint64_t stride)
{
    enum { REUSE = SHADOW_TAGS - 2 }; /* a grid of more threadgroups uses tags again: some races are then not seen */
    const emu_watch *w = vm->check->watch;
    uint32_t lane = 0;
    for (uint64_t member = 0; lane < vm->lanes; ++member) {
        const int64_t own = (base + (int64_t)((first + stride * member) % REUSE)) << SHADOW_TAG;
        const uint32_t from = lane;
        lane += vm->group_threads;
        for (uint32_t k = from; k < lane; ++k) {
            s->who[k] = own | (int64_t)(k - from) << SHADOW_LANE;
            s->fence[k] = own;
        }
        for (uint32_t k = from; k < lane && w->simdgroups; ++k) s->simd[k] = own;
        for (uint32_t k = from; k < lane && w->atomics; ++k) s->fenced[k] = own;
    }
}

void emu_checker_batch(emu_checker *c, emu_vm *vm, const uint32_t first[3], uint64_t at, uint64_t stride)
{
    emu_watch *w = c->watch;
    memcpy(c->first, first, sizeof c->first);
    c->batch = at;
    c->clock = 1;
    c->device_side.floor = w->floor_tag << SHADOW_TAG;
    set_lanes(&c->device_side, vm, w->floor_tag, at, stride);
    c->last_tag = shadow_tag(c->device_side.who[vm->lanes - 1]);
    const uint32_t members = (vm->lanes + vm->group_threads - 1) / vm->group_threads;
    if (c->group_tag + members + 1 >= SHADOW_TAGS) {
        memset(c->group.writer, 0, c->group_words * sizeof *c->group.writer);
        c->group_tag = 0;
    }
    if (c->group.size != 0) set_lanes(&c->group_side, vm, c->group_tag + 1, 0, 1);
    c->group_tag += members;
    if (c->has_left) memset(c->left_at, 0, sizeof c->left_at);
    c->has_left = false;
}

/* Records of the current threadgroups count as ordered before all that follows. */
static void age(emu_area *a, int64_t from, int64_t to)
{
    const size_t granules = (size_t)(a->size >> a->shift) + 1;
    int64_t *const lists[] = {a->writer, a->reader, a->other};
    for (int l = 0; l < 3; ++l)
        for (size_t k = 0; lists[l] != NULL && k < granules; ++k)
            if (lists[l][k] >= from && lists[l][k] < to) lists[l][k] &= ~((int64_t)(SHADOW_CLOCKS - 1) << SHADOW_CLOCK);
}

/* What those threadgroups acquired counts as acquired before all that follows. */
static void age_handings(emu_watch *w, int64_t from, int64_t to)
{
    (void)pthread_mutex_lock(&w->lock);
    for (int64_t tag = from; tag <= to; ++tag) {
        emu_handings *h = handings_of(w, tag, false);
        for (uint32_t i = 0; h != NULL && i < h->n; ++i)
            if (!h->at[i].release) h->at[i].fence &= SHADOW_OWN;
    }
    (void)pthread_mutex_unlock(&w->lock);
}

void emu_checker_tick(emu_checker *c)
{
    if (++c->clock < SHADOW_CLOCKS - 1) return;
    /* rare: a threadgroup that passes more barriers than the clock can count begins anew */
    c->clock = 1;
    age(&c->group, c->group_side.who[0] & SHADOW_OWN, (c->group_tag + 1) << SHADOW_TAG);
    emu_watch *w = c->watch;
    for (int k = 0; k < SHADOW_LOCKS; ++k) shadow_lock(&w->locks[k]);
    for (size_t k = 0; k < w->device_count; ++k)
        age(&w->device[k], c->device_side.who[0] & SHADOW_OWN, (c->last_tag + 1) << SHADOW_TAG);
    for (int k = 0; k < SHADOW_LOCKS; ++k) shadow_unlock(&w->locks[k]);
    age_handings(w, shadow_tag(c->device_side.who[0]), c->last_tag);
    for (int s = 0; s < 2; ++s) {
        emu_side *side = s == 0 ? &c->group_side : &c->device_side;
        for (uint32_t lane = 0; lane < SHADOW_LANES; ++lane)
            side->fence[lane] = side->simd[lane] = side->fenced[lane] =
                (side->who[lane] & SHADOW_OWN) | (int64_t)1 << SHADOW_CLOCK;
    }
}
