/* A kernel that was compiled: its machine code and what is known of it. */
#ifndef AIR_KERNEL_H
#define AIR_KERNEL_H

#include <pthread.h>

#include "air/compile.h"
#include "air/image.h"
#include "base/pool.h"

typedef struct air_kernel_param {
    uint32_t kind, slot, count, space; /* air_param_kind */
    bool reads, writes;
    uint64_t size, align, least;
    const char *name, *type;
} air_kernel_param;

/* Machine code of one form. */
typedef struct air_code {
    air_image image;              /* base NULL: not compiled yet */
    void (*entry)(air_thread *t); /* one thread where `syncs`, else the whole threadgroup */
    const air_range *constants;   /* of its module; the last one has size 0 */
    bool syncs;                   /* threads wait for one another */
    air_form form;                /* what came of the one that was wanted */
    uint32_t width;               /* threads of a vector */
} air_code;

/* A place of a watched kernel. */
typedef struct air_kernel_place {
    uint32_t line, column;
    const char *file;
} air_kernel_place;

struct air_kernel {
    const ingot_allocator *mem;
    pool memory;
    air_job job;                  /* to compile further forms; its parts are in `memory` */
    pthread_mutex_t lock;         /* of `codes` */
    air_code codes[AIR_FORMS + 1]; /* by the form that was wanted; the first is there from the beginning, the last one is watched */
    uint64_t threadgroup_bytes;
    const air_kernel_param *params;
    size_t param_count;
    bool hands_on;                /* see air_watch; this and the places are known once it has been watched */
    const air_kernel_place *places;
    size_t place_count;
    rt_slot slots[AIR_SLOTS];
    rt_kernel_info info;
};

/* The code for threadgroups of that shape in a grid whose whole threadgroups have rows of `row` threads, compiled if it has
 * not been before. */
ingot_status air_kernel_code(air_kernel *k, const uint32_t threads[3], uint32_t row, bool watched, const air_code **out, ingot_error *error);

#endif
