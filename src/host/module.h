/* A compiled program as one object: host functions, device module, target, and how payloads are compiled. */
#ifndef HOST_MODULE_H
#define HOST_MODULE_H

#include <stdatomic.h>

#include "host/program.h"
#include "pack/device_module.h"

/* Immutable once published, and counted. All that it points to lives in its own pool. */
struct ingot_module {
    atomic_size_t references;
    const ingot_allocator *mem;
    pool memory;
    const pack_device_module *device; /* kernels; never NULL once made, may hold none */
    const host_program *host;         /* the same of host functions */
    str target;                       /* canonical JSON; empty where not known */
    bool fast_math;                   /* how payloads that are text are compiled */
    uint32_t language;                /* of those: major * 10 + minor; 0 = the device's default */
    bool fallback;                    /* codegen-only: saves, never launches. Not saved */
};

/* A new module with one reference and an empty pool over `mem` (NULL: the default), to be filled in by its maker;
 * NULL when out of memory. */
ingot_module *module_create(const ingot_allocator *mem);

void module_retain(ingot_module *m);
void module_release(ingot_module *m);

/* Fills in parts that are still NULL with empty ones, and checks host against device: launches name kernels that
 * are there, with as many arguments and extents as their launch records have, of the same types. */
ingot_status module_finish(ingot_module *m, ingot_error *error);

/* The .ingot file, and back. */
ingot_status module_save(const ingot_module *m, buf *out, ingot_error *error);
ingot_status module_load(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error);

/* A module of the device part alone, from TVM's bytes. */
ingot_status module_load_device(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error);

/* The same, with a host function for each kernel: it takes the kernel's arguments, pointers as they are, then the values
 * of its launch tags, and launches it. (kernels.c) */
ingot_status module_load_kernels(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error);

#endif
