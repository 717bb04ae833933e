/* Watched memory of a launch: which ranges there are, and the records of who touched them. */
#include <string.h>

#include "emu/check.h"
#include "emu/code.h"

/* Bytes that are watched as one. */
typedef struct range {
    char *from, *to;
    bool write;
    uint8_t shift;
    shadow_memory memory;
} range;

static void join_use(emu_use *to, const emu_use *u)
{
    if (u->granule == 0) return;
    to->reads = to->reads || u->reads;
    to->writes = to->writes || u->writes;
    if (to->granule == 0 || u->granule < to->granule) to->granule = u->granule;
}

/* What the programs do with the buffer at a slot. */
static emu_use use_of_slot(const emu_program *const *programs, size_t count, uint32_t slot)
{
    emu_use all = {.reads = false};
    for (size_t k = 0; k < count; ++k)
        for (size_t i = 1; i < programs[k]->objects.n; ++i) {
            const emu_object_info *o = &programs[k]->objects.at[i];
            if (o->kind == EMU_OBJECT_BUFFER && o->slot == slot) join_use(&all, &programs[k]->uses[i]);
        }
    return all;
}

/* Ranges being collected: those that share bytes become one. */
typedef struct ranges {
    range *at;
    size_t n;
} ranges;

static void add_range(ranges *all, range r)
{
    for (size_t k = 0; k < all->n;) {
        range *o = &all->at[k];
        if (o->from >= r.to || o->to <= r.from) {
            ++k;
            continue;
        }
        r.from = o->from < r.from ? o->from : r.from;
        r.to = o->to > r.to ? o->to : r.to;
        r.write = r.write || o->write;
        r.shift = o->shift < r.shift ? o->shift : r.shift;
        r.memory = o->memory < r.memory ? o->memory : r.memory;
        *o = all->at[--all->n];
        k = 0;
    }
    all->at[all->n++] = r;
}

static void add_memory(ranges *all, const emu_binding *b, const emu_use *u)
{
    char *base = b->data;
    if (u->granule == 0 || base == NULL || b->size == 0) return;
    add_range(all, (range){base, base + b->size, u->writes, emu_watch_shift(u->granule), SHADOW_DEVICE});
}

static void find_ranges(const emu_launch *l, const emu_program *const *programs, size_t count, ranges *all)
{
    for (uint32_t slot = 0; slot < l->buffer_count && slot < EMU_MAX_BUFFERS; ++slot) {
        const emu_use u = use_of_slot(programs, count, slot);
        add_memory(all, &l->buffers[slot], &u);
    }
    emu_use any = {.reads = false}, texels = {.reads = false};
    for (size_t k = 0; k < count; ++k) {
        join_use(&any, &programs[k]->any_use);
        join_use(&texels, &programs[k]->texel_use);
    }
    for (size_t i = 0; i < l->resource_count; ++i) add_memory(all, &l->resources[i], &any);
    for (size_t i = 0; i < l->texture_count && texels.writes; ++i) {
        const emu_texture *t = &l->textures[i];
        if (t->data == NULL || t->size == 0 || (unsigned)t->format >= EMU_FORMATS) continue;
        char *base = t->data;
        add_range(all, (range){base, base + t->size, true, emu_watch_shift(emu_format_bytes(t->format)),
                               SHADOW_TEXTURE});
    }
}

static size_t lines_of(const range *r)
{
    return ((size_t)(r->to - r->from) >> r->shift) / RECORD_LINE + 1;
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

emu_area *emu_watch_area(emu_watch *w, const char *base)
{
    for (size_t k = 0; k < w->area_count; ++k) {
        emu_area *a = &w->areas[k];
        if (a->lines != NULL && base >= a->base && base < a->base + a->size) return a;
    }
    return NULL;
}

static size_t most_ranges(const emu_launch *l)
{
    return EMU_MAX_BUFFERS + l->resource_count + l->texture_count;
}

/* Records for so many lines. */
static bool take_records(emu_watch *w, size_t lines, emu_records **records)
{
    const uint32_t *t = w->launch->threads;
    if (lines == 0) return true;
    if (*records == NULL) *records = emu_records_make(w->mem);
    w->records = *records;
    return w->records != NULL && emu_records_open(w->records, lines, t[0] * t[1] * t[2]);
}

/* Areas over the records' lines. */
static bool make_areas(emu_watch *w, const ranges *all, emu_records **records)
{
    const bool races = (w->launch->checks >> EMU_CHECK_RACE & 1u) != 0;
    size_t need = 0, at = 0;
    for (size_t k = 0; k < all->n && races; ++k)
        if (all->at[k].write) need += lines_of(&all->at[k]);
    if (!take_records(w, need, records)) return false;
    for (; w->area_count < all->n; ++w->area_count) {
        const range *r = &all->at[w->area_count];
        emu_area *a = &w->areas[w->area_count];
        *a = (emu_area){.base = r->from, .size = (uint64_t)(r->to - r->from), .shift = r->shift, .memory = (uint8_t)r->memory,
                        .records = w->records, .locks = w->locks};
        w->has_textures = w->has_textures || r->memory == SHADOW_TEXTURE;
        if (!r->write || !races) continue;
        a->lines = w->records->lines + at;
        at += lines_of(r);
    }
    return true;
}

bool emu_watch_open(emu_watch *w, const emu_program *const *programs, size_t count, emu_records **records)
{
    const emu_launch *l = w->launch;
    for (size_t k = 0; k < count; ++k) {
        w->atomics = w->atomics || programs[k]->hands_on;
        w->simdgroups = w->simdgroups || programs[k]->simdgroups;
    }
    ranges all = {.at = mem_zeroed(w->mem, most_ranges(l), sizeof *all.at)};
    w->areas = mem_zeroed(w->mem, most_ranges(l), sizeof *w->areas);
    w->resources = mem_zeroed(w->mem, l->resource_count + 1, sizeof *w->resources);
    w->textures = mem_zeroed(w->mem, l->texture_count + 1, sizeof *w->textures);
    const bool shared = emu_pool_threads(l->pool) > 1;
    if (shared) w->locks = mem_zeroed(w->mem, SHADOW_LOCKS, SHADOW_LINE);
    bool made = (!shared || w->locks != NULL) && all.at != NULL && w->areas != NULL && w->resources != NULL && w->textures != NULL && join_sites(w, programs, count);
    if (made) {
        find_ranges(l, programs, count, &all);
        made = make_areas(w, &all, records);
    }
    mem_free(w->mem, all.at, most_ranges(l) * sizeof *all.at);
    if (!made) return false;
    for (size_t i = 0; i < l->resource_count; ++i) w->resources[i] = emu_watch_area(w, l->resources[i].data);
    for (size_t i = 0; i < l->texture_count; ++i) w->textures[i] = emu_watch_area(w, l->textures[i].data);
    return true;
}

void emu_watch_close(emu_watch *w)
{
    const emu_launch *l = w->launch;
    mem_free(w->mem, w->locks, (size_t)SHADOW_LOCKS * SHADOW_LINE);
    mem_free(w->mem, w->joined, w->site_count * sizeof *w->joined);
    mem_free(w->mem, w->areas, most_ranges(l) * sizeof *w->areas);
    mem_free(w->mem, w->resources, (l->resource_count + 1) * sizeof *w->resources);
    mem_free(w->mem, w->textures, (l->texture_count + 1) * sizeof *w->textures);
    emu_handings_free(w);
}
