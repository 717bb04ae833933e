/* A library of kernels: what its files share. */
#ifndef EMU_LIBRARY_H
#define EMU_LIBRARY_H

#include <pthread.h>

#include "base/map.h"
#include "base/source.h"
#include "emu/check.h"
#include "emu/code.h"
#include "emu/emu.h"
#include "emu/engine.h"
#include "emu/isa.h"

typedef struct emu_worker emu_worker;

/* A program in its arena, kept for further launches of that shape. */
typedef struct emu_built {
    arena mem;
    emu_program *program;
    struct emu_built *next;
    unsigned users;
    emu_worker *idle; /* workers that have finished, ready to be used again */
} emu_built;

struct emu_kernel {
    struct emu_library *library;
    const mf_function *function;
    emu_kernel_info info;
    bool crosses;         /* uses simdgroup functions */
    bool has_threadgroup; /* uses threadgroup memory */
    bool logs;            /* messages, which come threadgroup by threadgroup */
    bool waits;           /* a loop may go on until another simdgroup or threadgroup has done something */
    pthread_mutex_t lock; /* of what follows */
    emu_built *built;     /* latest first */
    emu_native native;
    emu_records *records; /* of device memory, for a checked launch, while none has them; NULL: none */
};

struct emu_library {
    const ingot_allocator *mem;
    const emu_isa *isa;
    arena tree;
    str text;
    bool plain; /* what the text means depends on nothing else */
    source_set sources;
    mf_unit *unit;
    emu_kernel *kernels;
    size_t count;
    map names; /* of the kernels */
};

/* Finds or makes the kernel's program for a shape; NULL with the error set. Give it back with emu_built_release. */
emu_built *emu_built_get(emu_kernel *kernel, const emu_shape *shape, ingot_error *error);
void emu_built_release(emu_kernel *kernel, emu_built *built);

/* Threads of a threadgroup of the launch along each axis: fewer at the end of an uneven grid. */
void emu_group_threads(const emu_launch *l, const uint32_t group[3], uint32_t out[3]);

/* What one thread of execution has: a machine with its frame and threadgroup memory. */
struct emu_worker {
    emu_vm vm;
    emu_object *objects;
    char *threadgroup; /* of all threadgroups of a batch */
    uint64_t threadgroup_bytes;
    size_t bytes, threadgroup_size; /* of the two blocks allocated */
    void *threadgroup_block;
    void *turns; /* scheduled programs: what emu_run_turns needs */
    size_t turns_size;
    size_t object_count;
    emu_log log; /* of a program with messages */
    emu_worker *next;
};
void emu_worker_free(const ingot_allocator *mem, emu_worker *w);

/* Calls body(user) on the pool's threads and on the caller; returns when all have returned. */
void emu_pool_run(emu_pool *pool, void (*body)(void *user), void *user);

/* What a fault is told with. */
typedef struct emu_reporter {
    const emu_kernel *kernel;
    const emu_program *program;
    const emu_launch *launch;
} emu_reporter;

/* Says what went wrong in a run; `first` is the position in the grid of the batch's first threadgroup. The error is set
 * from it and, where the launch has a collector, it is added there. */
ingot_status emu_report(const emu_reporter *r, const emu_fault *fault, const uint32_t first[3], uint64_t times,
                        ingot_error *error);

#endif
