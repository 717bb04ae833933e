/* The checks of a run: what a worker keeps for them. The handlers stand in check_*.c and lanes_check.c; a checked program
 * has instructions of its own for them, a program without checks none. */
#ifndef EMU_CHECK_H
#define EMU_CHECK_H

#include <pthread.h>

#include "base/alloc.h"
#include "emu/emu.h"
#include "emu/shadow.h"

struct emu_program;

/* Something found, once for each pair of places. */
typedef struct emu_event {
    emu_fault fault;
    uint64_t fault_batch;  /* that the fault is of */
    uint64_t batch, order; /* where its like was met first */
    uint64_t times;
} emu_event;

/* One handing-over by atomics: a release says that what its threadgroup did before is done; an acquire that the
 * threadgroup has seen all that was released by then. */
typedef struct emu_handing {
    uint64_t seq;
    int64_t before; /* RELEASE: touches of the lane below this are covered */
    int64_t fence;  /* RELEASE: touches of the whole threadgroup below this are; ACQUIRE: when it was, for other lanes */
    uint32_t lane;  /* within the threadgroup */
    bool release;
    bool device; /* which memory it is about */
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
    const struct emu_program *program;
    emu_area **areas; /* by object; NULL: not watched. Threadgroup memory is the worker's own */
    emu_area *device;
    size_t device_count, object_count;
    uint8_t **written;       /* by object, NULL for none; NULL: no object has one */
    int64_t floor_tag;       /* tag of the first threadgroup */
    uint64_t groups;
    bool atomics;            /* the program may hand work on by atomics */
    bool simdgroups;         /* the program has barriers of simdgroups */
    uint8_t locks[SHADOW_LOCKS];
    pthread_mutex_t lock;    /* of what follows */
    uint64_t seq;
    emu_handings *handed[256]; /* by tag */
    bool no_memory;
} emu_watch;

typedef struct emu_checker {
    const ingot_allocator *mem;
    emu_watch *watch;
    unsigned checks;
    bool collect; /* go on after a finding */
    uint32_t clock;
    uint64_t batch, order;
    emu_area **areas; /* by object */
    emu_area group;   /* the worker's threadgroup memory */
    int64_t group_tag; /* last one given out for it */
    size_t group_words;
    int64_t last_tag; /* of the batch's last threadgroup, in device memory */
    emu_side device_side, group_side;
    uint32_t left_at[SHADOW_LANES]; /* span of where a lane last left a loop or block, plus 1 */
    emu_event *events;
    size_t event_count, event_cap;
    bool no_memory;
} emu_checker;

/* Handlers of the checks' instructions, and of those that act otherwise in a checked program; NULL for others. */
emu_handler emu_check_handler(emu_op op);
emu_handler emu_check_memory_handler(emu_op op);
emu_handler emu_check_value_handler(emu_op op);
emu_handler emu_check_flow_handler(emu_op op);

/* Notes what was found. True to go on; false where the run has to stop, the machine's fault then set. */
bool emu_note(emu_vm *vm, const emu_fault *fault);

/* The access of lanes [lo, hi) of a chunk, by the rules of races, first writes and alignment; the places must be in bounds.
 * False to stop. */
bool emu_check_chunk(emu_vm *vm, const emu_insn *i, uint32_t chunk, uint32_t lo, uint32_t hi);
/* The whole instruction lane by lane, bounds too. */
const emu_insn *emu_check_access(emu_vm *vm, const emu_insn *i);

/* Has work been handed from the record's thread to the lane by atomics? */
bool emu_handed(emu_vm *vm, int64_t rec, bool device, uint32_t lane);
/* The lane is about to do an atomic operation on a granule last written by `last`. */
void emu_hand_over(emu_vm *vm, int64_t last, bool last_atomic, bool reads, bool writes, bool device, uint32_t lane);

/* Life of a launch's watch: `objects` as bound by a worker; records go to the store. False when out of memory. */
typedef struct emu_store {
    int64_t *words;
    size_t count;
    int64_t next_tag;
} emu_store;
bool emu_watch_open(emu_watch *w, const emu_object *objects, emu_store *store, const emu_launch *launch);
void emu_watch_close(emu_watch *w);

/* A worker's part. */
emu_checker *emu_checker_make(const ingot_allocator *mem, size_t objects);
void emu_checker_free(emu_checker *c, size_t objects);
/* Before the batches of a launch: false when out of memory. */
bool emu_checker_start(emu_checker *c, emu_watch *w, char *threadgroup, uint64_t threadgroup_bytes);
/* Before a batch, whose first threadgroup is `first` in the grid and whose others follow at a distance of `stride`. */
void emu_checker_batch(emu_checker *c, emu_vm *vm, uint64_t batch, uint64_t first, uint64_t stride);
/* A point at which the given lanes pass a barrier or fence: the clock moves. */
void emu_checker_tick(emu_checker *c);

#endif
