/* The lowering pipeline: one table of passes (passes.def) and the runner over it. */
#ifndef PASS_PASS_H
#define PASS_PASS_H

#include "base/diag.h"
#include "base/map.h"
#include "ir/ir.h"

/* What the passes must know of the machine. */
typedef struct pass_target {
    int64_t max_num_threads;             /* threads that a cross-thread reduction may count on */
    int64_t max_threads_per_block;       /* threads of one threadgroup */
    int64_t max_shared_memory_per_block; /* bytes of threadgroup memory */
    int64_t thread_warp_size;            /* lanes of a simdgroup that generated code may rely on */
    int64_t max_function_args;           /* buffers of one kernel */
} pass_target;

/* A target without a tag: the limits that TVM's "metal" states. The width is that of every Apple
 * GPU's simdgroup, as the width stated there (16) makes lanes past it meaningless. */
#define PASS_TARGET_DEFAULT                                                                        \
    ((pass_target){.max_num_threads = 256,                                                         \
                   .max_threads_per_block = 256,                                                   \
                   .max_shared_memory_per_block = 32768,                                           \
                   .thread_warp_size = 32,                                                         \
                   .max_function_args = 31})

/* What a pass works with. Zero the rest; one thread at a time, one context a compile. */
typedef struct pass_context {
    arena *mem;
    diag_list *diags; /* its memory outlives `mem`, which may be a scratch arena while a pass runs */
    const pass_target *target;
    map warned; /* names that a warning was given for: see pass/notes.h */
} pass_context;

/* A pass: the lowered module, or the same pointer where there was nothing to do. What it must
 * refuse it reports to cx->diags and goes on as it can; the runner stops after it. */
typedef const ir_module *(*pass_fn)(pass_context *cx, const ir_module *m);

#define PASS(name, needs, gives, reason)                                                           \
    const ir_module *pass_##name(pass_context *cx, const ir_module *m);
#define PASS_MODULE(name, needs, gives, reason) PASS(name, needs, gives, reason)
#define PASS_AGAIN(name, fn, needs, gives, reason)
#include "pass/passes.def"
#undef PASS
#undef PASS_MODULE
#undef PASS_AGAIN

/* A row of the table. */
typedef struct pass_info {
    const char *name;
    pass_fn run;
    unsigned needs, gives; /* ir_property bits */
    const char *reason;
    bool whole; /* sees all functions at once; else each by itself */
} pass_info;

extern const pass_info pass_list[];
extern const size_t pass_count;

typedef struct pass_options {
    const char *stop_after; /* a pass's name, or NULL: run them all */
    bool verify;            /* check the module before the first pass and after every one */
    /* Called after each pass; may be NULL. `index` counts from 0. */
    void (*after)(void *user, size_t index, const pass_info *pass, const ir_module *m);
    void *user;
} pass_options;

/* Runs the table over `m`. Without `verify` and `after`, the rows between two that need the whole module go over one
 * function after the other: what one function takes stays in the processor's caches. The result is the same; where
 * several functions are refused, more of them say so. NULL where errors were reported to cx->diags, among them a stop_after
 * that names no pass. `options` may be NULL. */
const ir_module *pass_run(pass_context *cx, const ir_module *m, const pass_options *options);

/* ---- For the passes themselves ----------------------------------------------------------------
 */

/* The module with each function passed through `fn`; the same pointer where none changed. */
const ir_module *pass_each_func(pass_context *cx, const ir_module *m,
                                const ir_func *(*fn)(pass_context *cx, const ir_func *f));

/* The same for passes that change bodies only. */
const ir_module *pass_each_body(pass_context *cx, const ir_module *m,
                                const ir_node *(*fn)(pass_context *cx, const ir_func *f));

#endif
