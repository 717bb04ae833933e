/* Who touched which memory, and whether two touches are ordered.
 *
 * For each granule (the smallest element that the kernel accesses there) an area keeps the last write and two reads by
 * different threads, each as a record: which threadgroup (tag), when (clock: counts the barriers and fences that the
 * machine has passed), which thread and which place in the text (site). Two touches by different threads, one a write,
 * are a race unless a barrier with the memory's flag lies between them for both, or atomics with fences hand the one's
 * work on to the other. What counts is those, not the order in which the machine ran the two.
 *
 * Threadgroup memory, of which a worker has little, has its records as they are. Its tags grow from launch to launch, so that
 * records of earlier threadgroups need no clearing. Of shared memory the records are packed: see records.h.
 */
#ifndef EMU_SHADOW_H
#define EMU_SHADOW_H

#include "emu/vm.h"

/* A record from high to low: 23 bits of tag, 14 of clock, 10 of lane (within its threadgroup), 16 of site. */
enum { SHADOW_TAG = 40, SHADOW_CLOCK = 26, SHADOW_LANE = 16 };
enum { SHADOW_TAGS = 1 << 23, SHADOW_CLOCKS = 1 << 14, SHADOW_SITES = 1 << 16, SHADOW_LANES = 1 << 10 };
#define SHADOW_SAME ((int64_t)~(((int64_t)1 << SHADOW_TAG) - 1) | (int64_t)(SHADOW_LANES - 1) << SHADOW_LANE)
#define SHADOW_OWN ((int64_t)~(((int64_t)1 << SHADOW_TAG) - 1))

static inline int64_t shadow_tag(int64_t rec)
{
    return rec >> SHADOW_TAG;
}
static inline uint32_t shadow_clock(int64_t rec)
{
    return (uint32_t)(rec >> SHADOW_CLOCK) & (SHADOW_CLOCKS - 1);
}
static inline uint32_t shadow_lane(int64_t rec)
{
    return (uint32_t)(rec >> SHADOW_LANE) & (SHADOW_LANES - 1);
}
static inline uint32_t shadow_site(int64_t rec)
{
    return (uint32_t)rec & (SHADOW_SITES - 1);
}

/* A place in the text that touches memory. */
typedef struct emu_site {
    span at; /* file 0: not known */
    bool atomic, collective;
} emu_site;

/* Kinds of memory that are watched: barriers and fences order each by a flag of its own. */
typedef enum shadow_memory { SHADOW_GROUP, SHADOW_DEVICE, SHADOW_TEXTURE, SHADOW_MEMORIES } shadow_memory;
static inline bool shadow_flagged(unsigned flags, shadow_memory m)
{
    static const uint8_t flag_of[SHADOW_MEMORIES] = {EMU_FLAG_THREADGROUP, EMU_FLAG_DEVICE, EMU_FLAG_TEXTURE};
    return (flags & flag_of[m]) != 0;
}

/* Memory that is watched. */
typedef struct emu_area {
    char *base;
    uint64_t size;
    uint8_t shift;  /* a granule is 1 << shift bytes */
    uint8_t memory; /* shadow_memory; GROUP is one worker's, others are shared by all */
    int64_t *writer, *reader, *other; /* GROUP: a record a granule */
    struct emu_records *records;      /* others: packed */
    struct emu_line *lines;           /* NULL: the kernel never writes here, nothing to watch */
    uint8_t *locks; /* SHADOW_LOCKS of them, each in a line of its own, where several workers share the area; else NULL */
} emu_area;
static inline bool shadow_shared(const emu_area *a)
{
    return a->memory != SHADOW_GROUP;
}

/* Which lock a granule is under. */
enum { SHADOW_STRIPE = 9, SHADOW_LOCKS = 256, SHADOW_LINE = 64 };
static inline uint8_t *shadow_lock_of(const emu_area *a, uint64_t granule)
{
    return &a->locks[(granule >> SHADOW_STRIPE & (SHADOW_LOCKS - 1)) * SHADOW_LINE];
}
static inline void shadow_lock(uint8_t *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0)
        while (__atomic_load_n(lock, __ATOMIC_RELAXED) != 0) {
        }
}
static inline void shadow_unlock(uint8_t *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* The lanes of a batch, as one kind of memory sees them. While all have passed the same barriers, and no barrier of simdgroups
 * and no atomics make a difference between them, `level` stands for all three lists of records. */
typedef struct emu_side {
    _Alignas(64) int64_t rel[SHADOW_LANES]; /* tag and lane of each, less `base`: the same for all batches */
    int64_t base;           /* the tag of the batch's first threadgroup, in its place */
    int64_t level;          /* the clock of the last barrier, in its place */
    bool uniform;           /* else: */
    int64_t fence[SHADOW_LANES];  /* records of the own threadgroup below this are ordered before the lane */
    int64_t simd[SHADOW_LANES];   /* records of the own simdgroup below this are */
    int64_t fenced[SHADOW_LANES]; /* the lane's own touches below this come before its next atomic for others */
    uint64_t stride;        /* between the tags that `rel` was made for; 0: not made */
} emu_side;

/* Tag and lane of a lane's records; its threadgroup's tag; what its threadgroup's records are ordered below. */
static inline int64_t shadow_who(const emu_side *s, uint32_t lane)
{
    return s->base + s->rel[lane];
}
static inline int64_t shadow_own(const emu_side *s, uint32_t lane)
{
    return shadow_who(s, lane) & SHADOW_OWN;
}
static inline int64_t shadow_fence(const emu_side *s, uint32_t lane)
{
    return s->uniform ? shadow_own(s, lane) | s->level : s->fence[lane];
}
static inline int64_t shadow_simd(const emu_side *s, uint32_t lane)
{
    return s->uniform ? shadow_own(s, lane) | s->level : s->simd[lane];
}

/* Is the touch ordered before the lane by barriers, or no touch at all, or the lane's own? */
static inline bool shadow_ordered(const emu_side *s, bool shared, int64_t rec, uint32_t lane)
{
    const int64_t who = shadow_who(s, lane), own = who & SHADOW_OWN;
    if (shared ? rec == 0 : rec < own) return true;
    if (((rec ^ who) & SHADOW_SAME) == 0) return true;
    return rec >= own && rec < shadow_fence(s, lane);
}

#endif
