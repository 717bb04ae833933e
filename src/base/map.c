/* Hash map in an arena. */
#include "base/map.h"

static uint64_t id_hash(const void *id)
{
    uint64_t h = (uint64_t)(uintptr_t)id;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    return h ^ (h >> 33);
}

static uint64_t entry_hash(const map_entry *e)
{
    return e->id != NULL ? id_hash(e->id) : str_hash(e->key);
}

static bool same_key(const map_entry *a, const map_entry *b)
{
    return a->id == b->id && str_eq(a->key, b->key);
}

/* The slot that holds `key`, or the free one where it would go. */
static size_t find_slot(const map *m, const map_entry *key)
{
    size_t mask = m->slot_count - 1;
    size_t at = (size_t)entry_hash(key) & mask;
    while (m->slots[at] != 0 && !same_key(&m->entries[m->slots[at] - 1], key)) at = (at + 1) & mask;
    return at;
}

static void *get(const map *m, const map_entry *key)
{
    if (m->slot_count == 0) return NULL;
    uint32_t found = m->slots[find_slot(m, key)];
    return found != 0 ? m->entries[found - 1].value : NULL;
}

static void grow(arena *a, map *m)
{
    size_t cap = m->cap == 0 ? 4 : m->cap * 2;
    map_entry *entries = arena_array(a, map_entry, cap);
    for (size_t i = 0; i < m->n; ++i) entries[i] = m->entries[i];
    m->entries = entries;
    m->cap = cap;
    m->slot_count = cap * 2;
    m->slots = arena_array(a, uint32_t, m->slot_count);
    for (size_t i = 0; i < m->n; ++i) m->slots[find_slot(m, &entries[i])] = (uint32_t)i + 1;
}

static void put(arena *a, map *m, map_entry entry)
{
    if (m->n == m->cap) grow(a, m);
    size_t at = find_slot(m, &entry);
    if (m->slots[at] != 0) {
        m->entries[m->slots[at] - 1].value = entry.value;
        return;
    }
    if (entry.value == NULL) return;
    m->entries[m->n] = entry;
    m->slots[at] = (uint32_t)++m->n;
}

void *map_get(const map *m, str key)
{
    return get(m, &(map_entry){.key = key});
}

void *map_get_id(const map *m, const void *id)
{
    return get(m, &(map_entry){.id = id});
}

/* A map holds const and mutable values alike; what comes out is as const as its user knows it to be. */
static void *mutable_value(const void *value)
{
    union {
        const void *in;
        void *out;
    } u = {.in = value};
    return u.out;
}

void map_put(arena *a, map *m, str key, const void *value)
{
    put(a, m, (map_entry){.key = key, .value = mutable_value(value)});
}

void map_put_id(arena *a, map *m, const void *id, const void *value)
{
    put(a, m, (map_entry){.id = id, .value = mutable_value(value)});
}
