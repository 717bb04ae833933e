/* A plain interpreter of IR: slow, checked, and the reference answer in tests. It runs a function
 * as written, after any pass, and after the split into host and kernels. */
#ifndef IR_EVAL_H
#define IR_EVAL_H

#include "ir/value.h"

/* An argument, one a parameter of the function, in order. */
typedef struct ir_eval_arg {
    ir_value value; /* of a scalar parameter: converted to the parameter's type */
    /* Of a buffer or pointer: */
    void *data;
    ir_type type;           /* of an element */
    const int64_t *shape;   /* of a pointer without a buffer: ndim 1, the elements behind it */
    const int64_t *strides; /* in elements; NULL = row-major */
    size_t ndim;
} ir_eval_arg;

typedef struct ir_eval_options {
    uint64_t max_steps; /* statements over all threads before giving up; 0 = 2^32 */
} ir_eval_options;

/* Runs `f` (of `m`, whose kernels it may launch). Every access is checked against the memory behind
 * its buffer, every scalar operation is done in its type. Threads of a threadgroup run in step at
 * barriers, groups one after the other; simdgroups have 32 lanes. On failure false, and *error says
 * what went wrong and where (in mem). */
bool ir_eval_func(arena *mem, const ir_module *m, const ir_func *f, const ir_eval_arg *args,
                  size_t n, const ir_eval_options *options, str *error);

#endif
