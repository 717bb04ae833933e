/* Profiles: what a launch costs, by line of the text. A launch with one (emu_launch.profile) runs on the caller's thread and
 * is watched instruction by instruction; what is the same for all threadgroups is computed before, and not counted.
 *
 * The model: an instruction costs once for each simdgroup with an active thread. Device memory moves in lines of 128 bytes;
 * threadgroup memory has 32 banks of 4 bytes, of which each gives one word at a time. Apple publishes neither number.
 */
#ifndef EMU_PROFILE_H
#define EMU_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

enum { EMU_PROFILE_LINE = 128, EMU_PROFILE_BANKS = 32 };

/* What a place in the text did; a row a line, or one of its accesses. */
typedef struct emu_cost {
    uint64_t instructions; /* by simdgroup */
    uint64_t threads;      /* active in them */
    uint64_t accesses;     /* of memory, by simdgroup */
    uint64_t device_bytes, threadgroup_bytes; /* asked for by active threads */
    uint64_t lines, least_lines;              /* of device memory touched, and the fewest that could hold the bytes */
    uint64_t conflicts;    /* further turns that banks took */
    uint64_t branches, divergent; /* by simdgroup: conditions met, and those on which its threads parted */
    uint64_t barriers;     /* by simdgroup */
} emu_cost;

/* The worst access of an instruction: where each thread of a simdgroup went. */
typedef struct emu_pattern_seen {
    bool seen, threadgroup, write;
    char name[64];         /* of the memory */
    uint32_t active;       /* threads, as bits */
    uint32_t bytes;        /* that each touched */
    int64_t offset[32];    /* from the memory's start */
    uint32_t lines, turns; /* lines of device memory, or turns of the banks */
} emu_pattern_seen;

typedef struct emu_profile_row {
    const char *file; /* owned */
    uint32_t line, column; /* column 0: the whole line */
    emu_cost cost;
    emu_pattern_seen pattern; /* of an access */
} emu_profile_row;

/* Rows in the order of file and place. One thread at a time, also while a launch fills it. */
typedef struct emu_profile {
    const ingot_allocator *mem;
    emu_profile_row *at;
    size_t n, cap;
    bool no_memory;
} emu_profile;

struct emu_vm;
struct emu_insn;
struct emu_program;
struct emu_kernel;

/* Counts of one program while it runs, by place in its text. */
typedef struct emu_counts {
    const ingot_allocator *mem;
    struct emu_count *at;
    size_t n;
    const struct emu_program *program;
    bool no_memory;
} emu_counts;

/* Runs code as the plain loop does, and counts. */
void emu_counts_run(emu_counts *c, struct emu_vm *vm, const struct emu_insn *i);
/* Adds what was counted to the profile, by line; the counts are empty after. */
void emu_counts_add(emu_counts *c, const struct emu_kernel *kernel, emu_profile *profile);
void emu_profile_free(emu_profile *profile);

#endif
