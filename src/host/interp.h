/* Running host code: values, what the code asks of its surroundings, and the interpreter. */
#ifndef HOST_INTERP_H
#define HOST_INTERP_H

#include "host/program.h"

/* A register: an integer or bool (as its type wraps it), a float (as a double, rounded to its type), or a
 * pointer: `memory` is an index into the frame's memories, `i` a byte offset. */
typedef struct host_value {
    union {
        int64_t i;
        double f;
    };
    uint32_t memory;
} host_value;

/* Registers and memories of one call. memories[0] is NULL; then one a parameter (NULL for scalars), then
 * one an ALLOC slot. */
typedef struct host_frame {
    const host_function *function;
    host_value *regs;
    void **memories;
    size_t memory_count;
} host_frame;

/* What the code asks for. Failures end the call with their status and error. */
typedef struct host_env {
    void *user;
    /* Launch number `index` of the function; its arguments and extents lie in the frame's registers. */
    ingot_status (*launch)(void *user, const host_frame *frame, size_t index, ingot_error *error);
    ingot_status (*alloc)(void *user, uint64_t bytes, void **out, ingot_error *error);
    void (*free)(void *user, void *memory);
    /* The int32 at a byte offset of memory, once all work before is done. NULL: every one is 0. */
    ingot_status (*read)(void *user, void *memory, uint64_t offset, int32_t *out, ingot_error *error);
    uint64_t budget; /* instructions until the code counts as endless; 0: the default */
} host_env;

enum { HOST_LOCAL_REGS = 64, HOST_LOCAL_MEMORIES = 32 };

/* The frame's storage: small functions use the arrays inside. */
typedef struct host_storage {
    host_value regs[HOST_LOCAL_REGS];
    void *memories[HOST_LOCAL_MEMORIES];
} host_storage;

/* A zeroed frame, in `storage` or from `mem` (NULL: the default); host_frame_end gives back what it took. */
ingot_status host_frame_begin(host_frame *frame, const host_function *f, host_storage *storage,
                              const ingot_allocator *mem, ingot_error *error);
void host_frame_end(host_frame *frame, const host_storage *storage, const ingot_allocator *mem);

/* Runs [0, checks_end): computes the registers of EXPR dimensions. Only arithmetic can fail. */
ingot_status host_run_checks(host_frame *frame, ingot_error *error);

/* Runs the body. Device memory that it allocated is freed in all cases. *result (may be NULL) receives
 * what it returns, untouched where it returns nothing. */
ingot_status host_run(host_frame *frame, const host_env *env, host_value *result, ingot_error *error);

#endif
