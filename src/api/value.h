/* Owned copies of values: what a registered function returns. */
#ifndef API_VALUE_H
#define API_VALUE_H

#include "base/pool.h"
#include "ingot/ingot.h"

struct ingot_owned {
    pool memory;
    ingot_value value;
};

struct ingot_result {
    const ingot_allocator *mem;
    ingot_owned *owned; /* NULL = None */
};

/* Calls `fn` and hands back its result as an owned value; *out may stay NULL for None. A function that
 * fails without a message is given one that says so. */
ingot_status value_invoke(const ingot_allocator *mem, ingot_function_fn fn, void *user, const ingot_value *args,
                          size_t count, ingot_owned **out, ingot_error *error);

#endif
