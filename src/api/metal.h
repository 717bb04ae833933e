/* The objects behind ingot/metal.h: each counted, each holding what it was made from. */
#ifndef API_METAL_H
#define API_METAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "air/air.h"
#include "base/pool.h"
#include "emu/emu.h"
#include "ingot/ingot.h"
#include "pack/metallib.h"

enum {
    METAL_BYTES = 4096,      /* most that set_bytes takes */
    METAL_MEMORY_ALIGN = 256 /* of a buffer's bytes */
};

/* Numbers given out to what kernels reach by number. */
typedef struct metal_numbers {
    pthread_mutex_t lock; /* also of the objects' own numbers */
    uint8_t taken[EMU_MAX_RESOURCES];
    uint32_t most; /* that have been taken, one beside the other */
} metal_numbers;

struct ingot_metal_device {
    atomic_size_t references;
    const ingot_allocator *mem;
    emu_pool *pool;
    metal_numbers buffers, textures;
    emu_engine engine; /* of its launches */
};

/* A header as the callback gave it; kept, as functions with constants read the text again. */
typedef struct metal_header {
    str name, from;
    bool angled, found;
    str path, text;
    struct metal_header *next;
} metal_header;

struct ingot_metal_library {
    atomic_size_t references;
    ingot_metal_device *device; /* held */
    arena memory;               /* text, options and headers */
    emu_source source;
    mf_options options;
    emu_math math;
    metal_header *headers;
    ingot_metal_constant_info *constants;
    size_t constant_count;
    emu_library *emu;           /* of a text; NULL: */
    const air_component *air;   /* of a metallib, kept in `parts`: what its kernels are compiled by */
    pool parts;
    str bytes;
    const metallib *metallib;
    const char **kernels;       /* its kernels' names */
    size_t kernel_count;
};

struct ingot_metal_function {
    atomic_size_t references;
    ingot_metal_library *library; /* held */
    const emu_kernel_info *info;
    emu_library *own;             /* the text with this function's constants; NULL: the library's */
    const emu_kernel *kernel;     /* of a text; NULL: of a metallib, and what follows is set */
    air_kernel *described;
    emu_kernel_info air_info;
    emu_arg *args;
    air_constant *given;          /* given_count of them */
    size_t given_count;
};

struct ingot_metal_pipeline {
    atomic_size_t references;
    ingot_metal_function *function; /* held */
    air_kernel *native;             /* of a metallib's function; else NULL */
};

struct ingot_metal_buffer {
    atomic_size_t references;
    ingot_metal_device *device; /* held */
    char *data;
    size_t length;
    void *block; /* what was allocated for `data`; NULL: the caller's memory */
    size_t block_size;
    void (*drop)(void *user);
    void *user;
    uint8_t *written; /* a byte for each of the data, 0 where nobody wrote yet; NULL: all count as written */
    uint32_t number;  /* among the device's with an address, plus 1; 0: it has none */
};

struct ingot_metal_texture {
    atomic_size_t references;
    ingot_metal_device *device; /* held */
    emu_texture texture;
    uint8_t *written; /* as of a buffer */
    uint32_t number;
};

struct ingot_metal_sampler {
    atomic_size_t references;
    ingot_metal_device *device; /* held */
    emu_sampler sampler;
};

struct ingot_metal_queue {
    atomic_size_t references;
    ingot_metal_device *device; /* held */
};

/* What is bound at one [[buffer(n)]]. */
typedef struct metal_slot {
    ingot_metal_buffer *buffer; /* held; or NULL: */
    uint8_t *bytes;             /* owned copy, or nothing is bound */
    size_t offset;              /* into the buffer */
    size_t length;              /* of the bytes */
    bool is_old;                /* bound for an earlier dispatch of the encoder */
} metal_slot;

/* What kernels may reach by address or number. */
typedef struct metal_used {
    ingot_metal_buffer **buffers; /* held */
    size_t buffer_count, buffer_cap;
    ingot_metal_texture **textures; /* held */
    size_t texture_count, texture_cap;
} metal_used;

/* One dispatch, or what the next one of an encoder will be. */
typedef struct metal_dispatch {
    ingot_metal_pipeline *pipeline; /* held; NULL: not set */
    metal_slot slots[EMU_MAX_BUFFERS];
    ingot_metal_texture *textures[EMU_MAX_TEXTURES]; /* held */
    ingot_metal_sampler *samplers[EMU_MAX_SAMPLERS]; /* held */
    size_t lengths[EMU_MAX_THREADGROUP_ARGS];
    bool length_is_old[EMU_MAX_THREADGROUP_ARGS];
    uint32_t groups[3], threads[3];
    uint32_t grid[3]; /* in threads */
    metal_used used;
    ingot_metal_buffer *indirect; /* held; the threadgroups stand in it when the dispatch is run. NULL: they are given */
    size_t indirect_offset;
    struct metal_dispatch *next;
} metal_dispatch;

struct ingot_metal_command_buffer {
    atomic_size_t references;
    ingot_metal_queue *queue; /* held */
    metal_dispatch *first, *last;
    bool encoding, committed;
    const emu_checking *checking; /* the caller's checker's; NULL: none */
    emu_profile *profile;         /* the caller's; NULL: none */
    ingot_metal_log_options log;
    ingot_error encoded; /* the first error of encoding; INGOT_OK: none */
    ingot_error result;  /* of the run */
};

struct ingot_metal_encoder {
    atomic_size_t references;
    ingot_metal_command_buffer *buffer; /* held */
    metal_dispatch state;
    bool ended;
};

/* Sets the error of a NULL argument. */
ingot_status metal_no_argument(ingot_error *error, const char *name);

/* One more user; the same pointer. */
static inline void metal_retain(atomic_size_t *references)
{
    (void)atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}
/* True for the last one. */
static inline bool metal_release(atomic_size_t *references)
{
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

struct ingot_profile {
    emu_profile profile;
};

/* Runs a dispatch of the command buffer to its end, with its checks; the error names the kernel. */
ingot_status metal_run(const ingot_metal_command_buffer *b, const metal_dispatch *d, ingot_error *error);

/* metal_log.c: where a command buffer's kernels log to. */
emu_logging metal_logging(const ingot_metal_command_buffer *b);

/* metal_air.c: the same for functions of a metallib. _function fills in the new function `f`; _pipeline compiles. */
ingot_status metal_air_function(ingot_metal_function *f, const char *name, const mf_given *given, size_t count, ingot_error *error);
void metal_air_function_clear(ingot_metal_function *f);
ingot_status metal_air_pipeline(ingot_metal_pipeline *p, ingot_error *error);
ingot_status metal_air_run(const emu_launch *launch, const ingot_metal_pipeline *p, ingot_error *error);

/* Makes a library that has nothing in it yet; NULL when out of memory. */
ingot_metal_library *metal_library_new(ingot_metal_device *device);

/* The number is free again; 0 is none. */
void metal_number_give(metal_numbers *n, uint32_t number);

/* What is reached by number: gives back what is held; a copy that holds the same (false when out of memory, then empty). */
void metal_used_clear(const ingot_allocator *mem, metal_used *u);
bool metal_used_copy(const ingot_allocator *mem, metal_used *u);

/* Adds what is not there yet. INGOT_LIMIT where the device has no number for it. */
ingot_status metal_use_buffer(const ingot_allocator *mem, metal_used *u, ingot_metal_buffer *b, ingot_error *error);
ingot_status metal_use_texture(const ingot_allocator *mem, metal_used *u, ingot_metal_texture *t, ingot_error *error);

/* The memory of `used` as a launch has it. */
typedef struct metal_reach {
    emu_binding *resources;
    uint8_t **resource_written;
    size_t resource_count;
    emu_texture *textures; /* by slot, those of the dispatch's slots first */
    uint8_t **texture_written;
    size_t texture_count;
} metal_reach;
bool metal_reach_make(const ingot_allocator *mem, const metal_dispatch *d, metal_reach *out);
void metal_reach_free(const ingot_allocator *mem, metal_reach *r);

/* Dispatches: gives back what a slot or the whole holds; a copy that holds the same (NULL when out of memory). */
void metal_slot_clear(const ingot_allocator *mem, metal_slot *s);
void metal_dispatch_clear(const ingot_allocator *mem, metal_dispatch *d);
metal_dispatch *metal_dispatch_copy(const ingot_allocator *mem, const metal_dispatch *from);

#endif
