/* A compiled program as one object: host functions, device module, target, and how payloads are compiled. */
#ifndef HOST_MODULE_H
#define HOST_MODULE_H

#include <stdatomic.h>

#include "host/program.h"
#include "pack/device_module.h"

/* How the device is to compile payloads that are text. Saved with the module. */
typedef struct module_options {
    bool fast_math;
    uint32_t language; /* major * 10 + minor: 23 is Metal 2.3 */
} module_options;

/* Immutable once made, and counted. */
struct ingot_module {
    atomic_size_t refs;
    pool mem; /* all that follows lives in it */
    const pack_device_module *device;
    const host_program *host;
    str target; /* canonical JSON; empty where not known */
    module_options options;
    bool is_fallback; /* codegen-only: refuses to launch. Not saved */
};

/* What a module is made of: all of it is copied. */
typedef struct module_parts {
    const pack_device_module *device;
    const host_program *host; /* NULL: no host functions */
    str target;
    module_options options;
    bool is_fallback;
} module_parts;

/* Checks every part; launches of the host part name kernels of the device part, with as many arguments
 * and extents as those have, of the same types. */
ingot_status module_make(const ingot_allocator *mem, const module_parts *parts, ingot_module **out,
                         ingot_error *error);

void module_retain(ingot_module *m);
void module_release(ingot_module *m);

/* The .ingot file, and back. */
ingot_status module_save(const ingot_module *m, buf *out, ingot_error *error);
ingot_status module_load(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error);

/* A module of the device part alone, from TVM's bytes. */
ingot_status module_load_device(const ingot_allocator *mem, str bytes, ingot_module **out, ingot_error *error);

#endif
