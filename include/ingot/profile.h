/* Profiles of kernels on the software Metal device: what each line of the text costs. Included by ingot.h, whose rules hold
 * here too.
 *
 * The model is the same everywhere: an instruction costs once for each simdgroup with an active thread; device memory moves
 * in lines of 128 bytes; threadgroup memory has 32 banks of 4 bytes, each of which gives one word at a time. What is the same
 * for all threadgroups is computed once and not counted. It counts what was done, not time.
 */
#ifndef INGOT_PROFILE_H
#define INGOT_PROFILE_H

#include "ingot/ingot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a line, or (column not 0) one memory access on it, cost. All counts are sums over the simdgroups of all launches. */
typedef struct ingot_profile_row {
    const char *file; /* lives as long as the profile, until it is filled again */
    uint32_t line, column;
    uint64_t instructions; /* of simdgroups */
    uint64_t threads;      /* active in those: instructions * 32 where none was idle */
    uint64_t accesses;     /* of memory, of simdgroups */
    uint64_t device_bytes, threadgroup_bytes; /* asked for by threads */
    uint64_t lines, least_lines; /* 128-byte lines of device memory touched; the fewest that could hold those bytes */
    uint64_t conflicts;    /* turns that banks of threadgroup memory took beyond the fewest */
    uint64_t branches, divergent; /* conditions met; those on which a simdgroup's threads parted */
    uint64_t barriers;
    /* Of an access (column not 0): the simdgroup that was worst off. */
    const char *memory;      /* name of the buffer or variable */
    int is_threadgroup, is_write;
    uint32_t active;         /* threads, as bits */
    uint32_t bytes;          /* that each touched */
    int64_t offset[32];      /* of each thread, from the memory's start */
    uint32_t touched, turns; /* lines of device memory; turns of the banks */
} ingot_profile_row;

/* Filled by the command buffers that it is attached to. One thread at a time. */
typedef struct ingot_profile ingot_profile;
INGOT_API INGOT_MUST_USE ingot_status ingot_profile_create(const ingot_allocator *allocator, ingot_profile **out,
                                                           ingot_error *error);
INGOT_API void ingot_profile_release(ingot_profile *profile);
/* Rows in the order of files, lines and columns; a line comes before its accesses. */
INGOT_API size_t ingot_profile_count(const ingot_profile *profile);
/* Fills *out; INGOT_NOT_FOUND past the end. */
INGOT_API ingot_status ingot_profile_row_at(const ingot_profile *profile, size_t index, ingot_profile_row *out);

#ifdef __cplusplus
}
#endif

#endif
