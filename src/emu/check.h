/* The checks of a run: what a worker keeps for them. The handlers stand in check_*.c and lanes_check.c; a checked program
 * has instructions of its own for them, a program without checks none. */
#ifndef EMU_CHECK_H
#define EMU_CHECK_H

#include <pthread.h>

#include "base/alloc.h"
#include "emu/emu.h"
#include "emu/records.h"
#include "emu/shadow.h"

struct emu_program;

/* Something found, once for each pair of places. */
typedef struct emu_event {
    emu_fault fault;
    const struct emu_program *program; /* whose instruction it is */
    uint32_t first[3];     /* threadgroup in the grid that its batch begins with */
    uint64_t batch, order; /* where its like was met first: that threadgroup, linear; how many had been found there */
    uint64_t times;
} emu_event;

/* One handing-over by atomics: a release says that what its threadgroup did before is done; an acquire that the
 * threadgroup has seen all that was released by then. */
typedef struct emu_handing {
    uint64_t seq;
    int64_t before; /* RELEASE: touches of the lane below this are covered */
    int64_t simd;   /* RELEASE: touches of the lane's simdgroup below this are */
    int64_t fence;  /* RELEASE: touches of the whole threadgroup below this are; ACQUIRE: when it was, for other lanes */
    uint32_t lane;  /* within the threadgroup */
    bool release;
    shadow_memory memory; /* which it is about */
} emu_handing;
typedef struct emu_handings {
    int64_t tag;
    emu_handing *at;
    uint32_t n, cap;
    struct emu_handings *next;
} emu_handings;

/* Adds an event to a list of `mem`, each once: the earliest in the grid stays, times count together. False when out of
 * memory. */
bool emu_event_join(const ingot_allocator *mem, emu_event **list, size_t *count, size_t *cap, const emu_event *e);
/* Into the order of the grid. */
void emu_events_sort(emu_event *list, size_t count);

/* What the workers of one launch share. */
typedef struct emu_watch {
    const ingot_allocator *mem;
    const emu_launch *launch;
    const emu_site *sites;   /* of all the launch's programs */
    emu_site *joined;        /* the same, where they are several */
    size_t site_count;
    emu_area *areas;         /* of buffers, further memory and textures; those that lie on one another are one */
    size_t area_count;
    emu_area **resources, **textures; /* of the launch's, by number or slot; NULL: not watched */
    bool has_textures;       /* any of them is */
    emu_records *records;    /* of the areas */
    bool atomics;            /* the program may hand work on by atomics */
    bool simdgroups;         /* the program has barriers of simdgroups */
    uint8_t *locks;          /* of the areas; NULL: one worker has them */
    pthread_mutex_t lock;    /* of what follows */
    uint64_t seq;
    emu_handings **handed; /* by tag: chains */
    size_t handed_chains, handed_count;
    bool no_memory;
} emu_watch;

typedef struct emu_checker {
    const ingot_allocator *mem;
    emu_watch *watch;
    unsigned checks;
    bool collect; /* go on after a finding */
    bool touches; /* races or first reads are looked at */
    uint32_t clock;
    uint64_t batch, order;
    const struct emu_program *program;
    int64_t site_base, site_mask; /* a place of the program among those of the launch: (site & mask) + base */
    uint32_t first[3];            /* of the batch: position of its first threadgroup */
    emu_area **areas;  /* by object; NULL: not watched */
    uint8_t **written; /* by object: which bytes hold data; NULL: all */
    emu_area group;   /* the worker's threadgroup memory */
    int64_t group_tag; /* last one given out for it */
    size_t group_words;
    int64_t last_tag; /* of the batch's last threadgroup, in device memory */
    emu_epoch_cache epochs;
    emu_side side[SHADOW_MEMORIES];
    const emu_insn *left_at[SHADOW_LANES]; /* LEAVING by which a lane last left a loop or block; NULL: none */
    bool has_left; /* any of those is set */
    emu_event *events;
    size_t event_count, event_cap;
    bool no_memory;
} emu_checker;

/* Handlers of the checks' instructions, and of those that act otherwise in a checked program; NULL for others. */
emu_handler emu_check_handler(emu_op op);
emu_handler emu_check_memory_handler(emu_op op);
emu_handler emu_check_value_handler(emu_op op);
emu_handler emu_check_flow_handler(emu_op op);
emu_handler emu_check_texture_handler(emu_op op);
/* The barrier's handler of a scheduled program. */
emu_handler emu_check_waiting_barrier(void);

/* The extremes of an i64 register by lane over chunks [from, to). */
emu_extent emu_extent_of(const emu_vm *vm, uint32_t reg, uint32_t from, uint32_t to);

/* Notes what was found. True to go on; false where the run has to stop, the machine's fault then set. */
bool emu_note(emu_vm *vm, const emu_fault *fault);

/* The access of lanes [lo, hi) of a chunk, by the rules of races, first writes and alignment; the places must be in bounds.
 * False to stop. */
bool emu_check_chunk(emu_vm *vm, const emu_insn *i, uint32_t chunk, uint32_t lo, uint32_t hi);
/* The whole instruction lane by lane, bounds too. */
const emu_insn *emu_check_access(emu_vm *vm, const emu_insn *i);

/* Scheduled programs: the simdgroup that begins at `lane` waits at a barrier; that of `missing` has ended, or waits at
 * `other`. Notes it, and the threadgroup's run ends. */
void emu_check_missing(emu_vm *vm, const emu_insn *barrier, const emu_insn *other, uint32_t lane, uint32_t missing);
/* Scheduled programs: all simdgroups have met at the barrier. */
void emu_check_met(emu_vm *vm, const emu_insn *barrier);

/* Has work been handed from the record's thread to the lane by atomics? */
bool emu_handed(emu_vm *vm, int64_t rec, shadow_memory memory, uint32_t lane);
/* The lane is about to do an atomic operation, which writes, or reads what another thread's atomic operation wrote
 * (`acquires`), or both. */
void emu_hand_over(emu_vm *vm, bool acquires, bool writes, shadow_memory memory, uint32_t lane);

/* What those threadgroups acquired counts as acquired before all that follows. */
void emu_handings_age(emu_watch *w, int64_t from_tag, int64_t to_tag);
void emu_handings_free(emu_watch *w);

/* In device memory: tag of the grid's first threadgroup. */
enum { SHADOW_FIRST_TAG = 1 };

/* Life of a launch's watch over `count` programs; mem, launch and lock are set. Records go to `*records`, made where there are
 * none and needed. False when out of memory; close it then, too. */
bool emu_watch_open(emu_watch *w, const struct emu_program *const *programs, size_t count, emu_records **records);
void emu_watch_close(emu_watch *w);
/* The watched area that this memory lies in, or NULL. */
emu_area *emu_watch_area(emu_watch *w, const char *base);
/* For records of `bytes` wide elements. */
static inline uint8_t emu_watch_shift(unsigned bytes)
{
    return (uint8_t)(bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0);
}

/* Did memory run out for what is watched? */
static inline bool emu_watch_short(const emu_watch *w)
{
    return w->no_memory || (w->records != NULL && w->records->no_memory);
}

/* Gives back what no record needs, where much is in use; no lock of an area may be held. */
void emu_watch_relieve(emu_watch *w);

/* A worker's part. */
emu_checker *emu_checker_make(const ingot_allocator *mem, size_t objects);
void emu_checker_free(emu_checker *c, size_t objects);
/* Before the batches of a launch by `program`, whose sites begin at `site_base`; objects are bound. */
void emu_checker_start(emu_checker *c, emu_watch *w, const struct emu_program *program, size_t site_base,
                       const emu_object *objects);
/* The worker's threadgroup memory. False when out of memory. */
bool emu_checker_watch_group(emu_checker *c, char *threadgroup, uint64_t bytes);
/* Before a batch that begins with the threadgroup `first`; linear in the grid that is `at`, and those after it follow at a
 * distance of `stride`. */
void emu_checker_batch(emu_checker *c, emu_vm *vm, const uint32_t first[3], uint64_t at, uint64_t stride);

/* The lanes of the side may differ from now on in what is ordered before them. */
void emu_side_part(emu_side *s, uint32_t lanes);

/* The low parts of a record made now by an instruction: clock and site. */
static inline int64_t emu_checker_now(const emu_checker *c, const emu_insn *i)
{
    return (int64_t)c->clock << SHADOW_CLOCK | ((i->imm & c->site_mask) + c->site_base);
}
/* A point at which the given lanes pass a barrier or fence: the clock moves. */
void emu_checker_tick(emu_checker *c);

#endif
