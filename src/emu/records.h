/* Records of the memory that all threadgroups share, packed: a few bytes for 16 granules where neighbours were touched by
 * neighbouring threads, a word for each granule where not.
 *
 * A record is a word: the epoch in its upper bits, the thread within its threadgroup below. An epoch stands for what the records
 * of one threadgroup's instruction at one clock have in common. Epochs are numbered from launch to launch, so that lines of
 * earlier launches need no clearing: their words are below the floor.
 *
 * Each granule has up to three records: the last write and two reads by different threads, or, while nothing has written it, two
 * reads. The first of them is the one that always exists. A slot (the first, second or third record) of a line's 16 granules is
 * either a run, of which the word of granule 0 is kept, or a unit of 16 words.
 */
#ifndef EMU_RECORDS_H
#define EMU_RECORDS_H

#include "base/alloc.h"
#include "emu/shadow.h"

enum { RECORD_LINE = 16, RECORD_SLOTS = 3 };

/* 16 granules. */
typedef struct emu_line {
    uint32_t base;  /* first slot: the word that granule 0 has or would have; or its unit */
    uint32_t more;  /* where the runs of the other slots are; 0: there are none */
    uint16_t set;   /* first slot: granules that have a record */
    uint8_t spread; /* each thread of a run has 1 << spread granules */
    uint8_t units;  /* bits of the slots that are units */
} emu_line;

/* The runs of the second and third slot, as in a line. */
typedef struct emu_line_more {
    uint32_t base[2];
    uint16_t set[2];
} emu_line_more;

/* Items of one size that never move, numbered from 1 on; they are given back all at once. */
enum { SLAB_CHUNK = 1 << 16, SLAB_CHUNKS = 1 << 11 };
typedef struct emu_slab {
    uint32_t item; /* bytes */
    uint32_t used; /* the next number */
    char *chunks[SLAB_CHUNKS];
} emu_slab;

/* A kernel's, kept from launch to launch. While workers run it is changed under the locks of its areas, but for slabs. */
typedef struct emu_records {
    const ingot_allocator *mem;
    emu_line *lines;
    size_t line_count;
    emu_slab epochs; /* int64_t: a record without thread, RECORD_WRITES added; the number is the epoch's less `floor` */
    emu_slab units;  /* uint32_t[RECORD_LINE] */
    emu_slab pairs;  /* emu_line_more */
    uint32_t floor;      /* the launch's first epoch */
    uint32_t limit;      /* of the epochs in use, before those that no record names are given back */
    uint32_t generation; /* counts the times that epochs got other numbers */
    uint8_t lane_bits;
    uint8_t lock; /* of the slabs' chunks */
    bool no_memory;
} emu_records;

/* In an epoch: its records are of writes. */
#define RECORD_WRITES ((int64_t)1 << SHADOW_LANE)

/* A worker's way from what records have in common to the epoch. */
enum { RECORD_CACHE = 128 };
typedef struct emu_epoch_cache {
    int64_t key[RECORD_CACHE]; /* 0: none */
    uint32_t epoch[RECORD_CACHE];
    uint32_t generation;
} emu_epoch_cache;

/* New records, or NULL when out of memory. */
emu_records *emu_records_make(const ingot_allocator *mem);
void emu_records_free(emu_records *r);
/* Makes ready for a launch over so many lines by threadgroups of at most `threads`: nothing has been touched. False when out
 * of memory. */
bool emu_records_open(emu_records *r, size_t lines, uint32_t threads);

/* The word of a record of the launch (0 when out of memory), and the record of a word; 0: none. With the lock of the granule. */
uint32_t emu_records_pack(emu_records *r, emu_epoch_cache *cache, int64_t rec, bool writes);
int64_t emu_records_unpack(const emu_records *r, uint32_t word, bool *writes);

/* Granules of a line, and the words that they get: that of the first of them, those of the others as in a run. */
typedef struct emu_stretch {
    uint32_t granules; /* bits */
    uint32_t first;    /* the word */
    uint8_t spread;
} emu_stretch;

/* The words that the first of the granules has in the slots, 0 for none. False where others have such that do not form a run with
 * it, or are of another epoch: then there is no one answer for all. */
bool emu_records_get(const emu_records *r, const emu_line *l, const emu_stretch *run, uint32_t words[RECORD_SLOTS]);
/* Has the launch not touched the line yet? */
static inline bool emu_line_is_fresh(const emu_records *r, const emu_line *l)
{
    return l->units == 0 && l->base < r->floor << r->lane_bits;
}
/* Sets the first slot of such a line. With the lock of the granules. */
static inline void emu_line_begin(emu_line *l, const emu_stretch *run)
{
    *l = (emu_line){.base = run->first - ((uint32_t)__builtin_ctz(run->granules) >> run->spread),
                    .set = (uint16_t)run->granules, .spread = run->spread};
}
/* Sets the slot of the granules; `run->first` 0 clears it. With the lock of the granules. */
void emu_records_put(emu_records *r, emu_line *l, unsigned slot, const emu_stretch *run);

/* Are there so many epochs that the unused ones should be given back? Any thread. */
bool emu_records_crowded(const emu_records *r);
/* Numbers the epochs anew that records name. Nobody else may be at the records. */
void emu_records_collect(emu_records *r);
/* Epochs of threadgroups with tags [from, to) become older than all clocks. Nobody else may be at the records. */
void emu_records_age(emu_records *r, int64_t from, int64_t to);

#endif
