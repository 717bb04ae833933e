/* The compile callback: one call a kernel, and the contract on what may come back. */
#ifndef API_CALLBACK_H
#define API_CALLBACK_H

#include "base/pool.h"
#include "ingot/ingot.h"
#include "pack/device_module.h"

/* The function to call; `fn` NULL = none. `held` is what to release after use. */
typedef struct callback {
    ingot_function_fn fn;
    void *user;
    ingot_function *held;
} callback;

/* The one that holds for a compile: the options' own, else the registered one. */
ingot_status callback_find(const ingot_compile_options *options, callback *out, ingot_error *error);

typedef struct callback_kernel {
    str name, source; /* in; NUL-terminated */
    str payload;      /* out, in the pool given */
} callback_kernel;

/* Calls it for each kernel in order and fills in the payloads and the format that all of them declare.
 * Stops at the first result that breaks the contract, with a message that names the kernel, what came
 * back and what is allowed. Without a function payloads are the sources and the format is "metal". */
ingot_status callback_run(const callback *cb, const ingot_target *target, pool *mem, callback_kernel *kernels,
                          size_t count, pack_format *format, ingot_error *error);

#endif
