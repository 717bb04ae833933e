/* Packed records of shared memory: see records.h. */
#include "emu/records.h"

#include <string.h>

/* Slabs. */

static void *slab_at(const emu_slab *s, uint32_t number)
{
    return __atomic_load_n(&s->chunks[number / SLAB_CHUNK], __ATOMIC_ACQUIRE) + (size_t)(number % SLAB_CHUNK) * s->item;
}

static bool slab_chunk(emu_records *r, emu_slab *s, uint32_t chunk)
{
    if (chunk >= SLAB_CHUNKS) return false;
    if (__atomic_load_n(&s->chunks[chunk], __ATOMIC_ACQUIRE) != NULL) return true;
    shadow_lock(&r->lock);
    char *at = s->chunks[chunk];
    if (at == NULL) at = mem_alloc(r->mem, (size_t)SLAB_CHUNK * s->item);
    __atomic_store_n(&s->chunks[chunk], at, __ATOMIC_RELEASE);
    shadow_unlock(&r->lock);
    return at != NULL;
}

/* A new item's number, its bytes as they were left; 0 when out of memory. */
static uint32_t slab_take(emu_records *r, emu_slab *s)
{
    const uint32_t number = __atomic_fetch_add(&s->used, 1, __ATOMIC_RELAXED);
    if (slab_chunk(r, s, number / SLAB_CHUNK)) return number;
    (void)__atomic_fetch_sub(&s->used, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&r->no_memory, true, __ATOMIC_RELAXED);
    return 0;
}

static void slab_free(const emu_records *r, emu_slab *s)
{
    for (size_t k = 0; k < SLAB_CHUNKS; ++k) mem_free(r->mem, s->chunks[k], (size_t)SLAB_CHUNK * s->item);
}

/* Life. */

emu_records *emu_records_make(const ingot_allocator *mem)
{
    emu_records *r = mem_zeroed(mem, 1, sizeof *r);
    if (r == NULL) return NULL;
    r->mem = mem;
    r->epochs = (emu_slab){.item = sizeof(int64_t), .used = 1};
    r->units = (emu_slab){.item = RECORD_LINE * sizeof(uint32_t), .used = 1};
    r->pairs = (emu_slab){.item = sizeof(emu_line_more), .used = 1};
    return r;
}

void emu_records_free(emu_records *r)
{
    if (r == NULL) return;
    slab_free(r, &r->epochs);
    slab_free(r, &r->units);
    slab_free(r, &r->pairs);
    mem_free(r->mem, r->lines, r->line_count * sizeof *r->lines);
    mem_free(r->mem, r, sizeof *r);
}

/* Epochs that the launch can have; a few numbers are left for workers that are in the midst of an access. */
static uint32_t room_for_epochs(const emu_records *r)
{
    enum { MOST = SLAB_CHUNK * (SLAB_CHUNKS / 2), UNDER_WAY = 1 << 15 };
    const uint32_t all = (1u << (32 - r->lane_bits)) - r->floor;
    return (all < MOST ? all : MOST) - UNDER_WAY;
}

/* The floor goes up by one launch's epochs; where that leaves few numbers, or lines have units, all begins anew. */
static void clear_lines(emu_records *r)
{
    r->floor += r->epochs.used;
    const bool used_up = r->floor > (1u << 31) >> r->lane_bits;
    if (used_up || r->units.used > 1 || r->pairs.used > 1) memset(r->lines, 0, r->line_count * sizeof *r->lines);
    if (used_up) r->floor = 1;
    r->units.used = r->pairs.used = 1;
}

bool emu_records_open(emu_records *r, size_t lines, uint32_t threads)
{
    enum { LIMIT = 1 << 18 };
    uint8_t bits = 5;
    while (1u << bits < threads) ++bits;
    if (r->lines == NULL || r->line_count < lines || r->lane_bits != bits) {
        mem_free(r->mem, r->lines, r->line_count * sizeof *r->lines);
        r->lines = mem_zeroed(r->mem, lines, sizeof *r->lines);
        r->line_count = r->lines != NULL ? lines : 0;
        r->floor = 1;
        r->units.used = r->pairs.used = 1;
        r->lane_bits = bits;
    } else {
        clear_lines(r);
    }
    ++r->generation;
    /* number 0 is no epoch: a run's word for granule 0 may lie below that of its first record, and is not to be below the floor */
    r->epochs.used = 1;
    r->no_memory = false;
    const uint32_t room = room_for_epochs(r);
    r->limit = room < LIMIT ? room : LIMIT;
    return r->lines != NULL;
}

/* Words. */

uint32_t emu_records_pack(emu_records *r, emu_epoch_cache *cache, int64_t rec, bool writes)
{
    const int64_t lanes = (int64_t)(SHADOW_LANES - 1) << SHADOW_LANE, key = (rec & ~lanes) | (writes ? RECORD_WRITES : 0);
    if (cache->generation != r->generation) {
        memset(cache->key, 0, sizeof cache->key);
        cache->generation = r->generation;
    }
    const uint64_t slot = (uint64_t)key * 0x9e3779b97f4a7c15u >> 57;
    if (cache->key[slot] != key) {
        const uint32_t number = slab_take(r, &r->epochs);
        if (number == 0) return 0;
        *(int64_t *)slab_at(&r->epochs, number) = key;
        cache->key[slot] = key;
        cache->epoch[slot] = number + r->floor;
    }
    return cache->epoch[slot] << r->lane_bits | shadow_lane(rec);
}

int64_t emu_records_unpack(const emu_records *r, uint32_t word, bool *writes)
{
    *writes = false;
    if (word == 0) return 0;
    const int64_t key = *(const int64_t *)slab_at(&r->epochs, (word >> r->lane_bits) - r->floor);
    *writes = (key & RECORD_WRITES) != 0;
    return (key & ~RECORD_WRITES) | (int64_t)(word & ((1u << r->lane_bits) - 1)) << SHADOW_LANE;
}

/* Lines. */

static uint32_t first_of(uint32_t granules)
{
    return (uint32_t)__builtin_ctz(granules);
}

/* One slot of a line. */
typedef struct slot {
    uint32_t *base; /* as in a line: the word of granule 0, or the unit */
    uint16_t *set;
    uint8_t bit; /* of it in `units` */
} slot;

/* False where the line does not have it. */
static bool find_slot(const emu_records *r, emu_line *l, unsigned number, slot *out)
{
    *out = (slot){&l->base, &l->set, (uint8_t)(1u << number)};
    if (number == 0) return true;
    if (l->more == 0) return false;
    emu_line_more *m = slab_at(&r->pairs, l->more);
    out->base = &m->base[number - 1];
    out->set = &m->set[number - 1];
    return true;
}

static uint32_t run_word(const emu_stretch *run, uint32_t j)
{
    return run->first + (j >> run->spread) - (first_of(run->granules) >> run->spread);
}

static bool get_unit(const uint32_t *unit, const emu_stretch *run, uint32_t *word)
{
    const uint32_t first = first_of(run->granules);
    *word = unit[first];
    const emu_stretch like = {run->granules, *word, run->spread};
    for (uint32_t j = first + 1; j < RECORD_LINE; ++j)
        if ((run->granules >> j & 1u) != 0 && unit[j] != (*word == 0 ? 0 : run_word(&like, j))) return false;
    return true;
}

bool emu_records_get(const emu_records *r, const emu_line *line, const emu_stretch *run, uint32_t words[RECORD_SLOTS])
{
    emu_line copy = *line;
    const bool single = (run->granules & (run->granules - 1)) == 0;
    const uint32_t first = first_of(run->granules), last = 31 - (uint32_t)__builtin_clz(run->granules);
    memset(words, 0, RECORD_SLOTS * sizeof *words);
    if (emu_line_is_fresh(r, line)) return true;
    slot s;
    for (unsigned k = 0; k < RECORD_SLOTS && find_slot(r, &copy, k, &s); ++k) {
        if ((line->units & s.bit) != 0) {
            if (!get_unit(slab_at(&r->units, *s.base), run, &words[k])) return false;
        } else {
            const uint32_t set = *s.set & run->granules;
            if (set == 0) continue;
            if (set != run->granules || (!single && line->spread != run->spread)) return false;
            words[k] = *s.base + (first >> line->spread);
        }
        const uint32_t end = words[k] + (last >> run->spread) - (first >> run->spread);
        if (!single && words[k] >> r->lane_bits != end >> r->lane_bits) return false; /* of two threadgroups */
    }
    return true;
}

/* The slot's words each by itself from now on. False when out of memory. */
static bool make_unit(emu_records *r, emu_line *l, const slot *s)
{
    const uint32_t number = slab_take(r, &r->units);
    if (number == 0) return false;
    uint32_t *unit = slab_at(&r->units, number);
    for (uint32_t j = 0; j < RECORD_LINE; ++j) unit[j] = ((uint32_t)*s->set >> j & 1u) != 0 ? *s->base + (j >> l->spread) : 0;
    *s->base = number;
    l->units |= s->bit;
    return true;
}

/* As a run with those that are there; false where they do not fit. */
static bool join_run(emu_line *l, const slot *s, const emu_stretch *run)
{
    const bool single = (run->granules & (run->granules - 1)) == 0, others = (*s->set & ~run->granules) != 0;
    if (!single && run->spread != l->spread) {
        if (others || l->more != 0 || l->units != 0) return false;
        l->spread = run->spread;
    }
    const uint32_t first = run->first - (first_of(run->granules) >> l->spread);
    if (others && *s->base != first) return false;
    *s->base = first;
    *s->set |= (uint16_t)run->granules;
    return true;
}

/* The line gets its second and third slot, empty. False when out of memory. */
static bool add_slots(emu_records *r, emu_line *l)
{
    const uint32_t number = slab_take(r, &r->pairs);
    if (number == 0) return false;
    memset(slab_at(&r->pairs, number), 0, sizeof(emu_line_more));
    l->more = number;
    return true;
}

void emu_records_put(emu_records *r, emu_line *l, unsigned number, const emu_stretch *run)
{
    if (emu_line_is_fresh(r, l)) *l = (emu_line){.spread = run->spread};
    if (number != 0 && l->more == 0 && (run->first == 0 || !add_slots(r, l))) return;
    slot s;
    if (!find_slot(r, l, number, &s)) return;
    if ((l->units & s.bit) == 0) {
        if (run->first == 0) *s.set &= (uint16_t)~run->granules;
        if (run->first == 0 || join_run(l, &s, run) || !make_unit(r, l, &s)) return;
    }
    uint32_t *unit = slab_at(&r->units, *s.base);
    for (uint32_t j = 0; j < RECORD_LINE; ++j)
        if ((run->granules >> j & 1u) != 0) unit[j] = run->first == 0 ? 0 : run_word(run, j);
}

/* Epochs that are not needed any more. */

bool emu_records_crowded(const emu_records *r)
{
    return __atomic_load_n(&r->epochs.used, __ATOMIC_RELAXED) >= __atomic_load_n(&r->limit, __ATOMIC_RELAXED);
}

/* The word becomes that of its epoch's new number. First (`from` 0) all are asked, which are then marked; the second time they are
 * changed. A run's first word stands for all of it: numbers keep their order, so that what was side by side still is. */
typedef struct renumbering {
    emu_records *r;
    uint32_t *numbers;
    bool marking;
} renumbering;

static void renumber_word(const renumbering *n, uint32_t *word)
{
    if (*word == 0) return;
    const uint32_t bits = n->r->lane_bits, number = (*word >> bits) - n->r->floor;
    if (n->marking) n->numbers[number] = 1;
    else *word = (n->numbers[number] + 1) << bits | (*word & ((1u << bits) - 1));
}

static void renumber_slot(const renumbering *n, const emu_line *l, const slot *s)
{
    uint32_t *base = s->base;
    if ((l->units & s->bit) != 0) {
        uint32_t *unit = slab_at(&n->r->units, *base);
        for (uint32_t j = 0; j < RECORD_LINE; ++j) renumber_word(n, &unit[j]);
        return;
    }
    const uint32_t set = *s->set;
    if (set == 0) return;
    const uint32_t first = first_of(set) >> l->spread, last = (31 - (uint32_t)__builtin_clz(set)) >> l->spread;
    uint32_t low = *base + first, high = *base + last;
    renumber_word(n, &high);
    renumber_word(n, &low);
    if (!n->marking) *base = low - first;
}

/* The line's records, those of earlier launches forgotten. */
static void renumber_line(const renumbering *n, emu_line *l)
{
    if (emu_line_is_fresh(n->r, l)) {
        *l = (emu_line){.base = 0};
        return;
    }
    slot s;
    for (unsigned k = 0; k < RECORD_SLOTS && find_slot(n->r, l, k, &s); ++k) renumber_slot(n, l, &s);
}

void emu_records_collect(emu_records *r)
{
    const uint32_t used = r->epochs.used;
    uint32_t *numbers = mem_zeroed(r->mem, used, sizeof *numbers);
    if (numbers == NULL) {
        r->no_memory = true;
        return;
    }
    renumbering n = {r, numbers, true};
    for (size_t k = 0; k < r->line_count; ++k) renumber_line(&n, &r->lines[k]);
    uint32_t next = 1;
    for (uint32_t k = 1; k < used; ++k) {
        if (numbers[k] == 0) continue;
        numbers[k] = next;
        *(int64_t *)slab_at(&r->epochs, next++) = *(int64_t *)slab_at(&r->epochs, k);
    }
    n.marking = false;
    for (size_t k = 0; k < r->line_count; ++k) renumber_line(&n, &r->lines[k]);
    mem_free(r->mem, numbers, used * sizeof *numbers);
    r->floor = 1;
    r->epochs.used = next;
    ++r->generation;
    const uint32_t room = room_for_epochs(r);
    if (next > room / 8 * 7) { /* more than can be told apart: what was done so far is forgotten */
        memset(r->lines, 0, r->line_count * sizeof *r->lines);
        r->units.used = r->pairs.used = r->epochs.used = next = 1;
    }
    const uint32_t limit = next * 4u < room ? next * 4u : room;
    if (r->limit < limit) __atomic_store_n(&r->limit, limit, __ATOMIC_RELAXED);
}

void emu_records_age(emu_records *r, int64_t from, int64_t to)
{
    const int64_t clock = (int64_t)(SHADOW_CLOCKS - 1) << SHADOW_CLOCK;
    for (uint32_t k = 1; k < r->epochs.used; ++k) {
        int64_t *key = slab_at(&r->epochs, k);
        if (shadow_tag(*key) >= from && shadow_tag(*key) < to) *key &= ~clock;
    }
    ++r->generation; /* clocks begin anew: no cache may take what was for the same */
}
