/* Hash map in an arena, keyed by text or by identity, iterated in order of insertion. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/arena.h"
#include "base/str.h"

typedef struct map_entry {
    str key;         /* for text keys */
    const void *id;  /* for identity keys */
    void *value;    /* NULL once removed */
} map_entry;

/* Zero is a valid empty map. Use either the text functions or the identity ones on one map. */
typedef struct map {
    map_entry *entries; /* in order of insertion */
    size_t n, cap;
    uint32_t *slots; /* open addressing: index + 1 into entries, 0 = free */
    size_t slot_count;
} map;

/* The value, or NULL where absent. */
void *map_get(const map *m, str key);
void *map_get_id(const map *m, const void *id);

/* Adds or replaces; the key's bytes must outlive the map. A NULL value removes. */
void map_put(arena *a, map *m, str key, const void *value);
void map_put_id(arena *a, map *m, const void *id, const void *value);

#endif
