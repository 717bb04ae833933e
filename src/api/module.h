/* What an ingot_module is made of. */
#ifndef API_MODULE_H
#define API_MODULE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/pool.h"
#include "ingot/ingot.h"

struct host_program;
struct pack_device_module;

/* Immutable once published. All that it points to lives in its own pool. */
struct ingot_module {
    atomic_size_t references;
    const ingot_allocator *mem;
    pool memory;
    const struct pack_device_module *device; /* kernels; never NULL, may hold none */
    const struct host_program *host;         /* NULL: the device part alone */
    str target;                              /* the target's text; p NULL where not known */
    bool fast_math;
    bool fallback; /* codegen-only: saves, never launches */
};

/* A new module with one reference and an empty pool over `mem` (NULL: the default), to be filled in by its maker;
 * NULL when out of memory. Released by ingot_module_release. */
ingot_module *module_create(const ingot_allocator *mem);

#endif
