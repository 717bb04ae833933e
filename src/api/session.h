/* One compile, from text to kernels: what the arena holds while it lasts. */
#ifndef API_SESSION_H
#define API_SESSION_H

#include "base/diag.h"
#include "ingot/ingot.h"
#include "ir/ir.h"
#include "msl/msl.h"
#include "pass/pass.h"

typedef enum session_stop { SESSION_PARSED, SESSION_LOWERED, SESSION_EMITTED } session_stop;

/* One thread. Made by session_open, ended by session_close. */
typedef struct session {
    ingot_compile_options options; /* whole, whatever size the caller's had */
    const ingot_allocator *mem;
    ingot_target *target;
    pass_target limits;
    arena memory;
    source_set sources;
    diag_list diags;
    str text;
    session_stop stop;
    const diag *reported; /* the last diagnostic that was handed on */
    /* Results, in the arena. */
    const ir_module *parsed, *lowered;
    msl_kernel *kernels; /* of the KERNEL functions of `lowered`, in order */
    size_t kernel_count;
} session;

/* Takes the options apart and runs as far as `stop`. Diagnostics have been handed to the options' hook
 * when it returns. Must be closed whatever it returns. */
ingot_status session_open(session *s, const char *text, size_t length, const ingot_compile_options *options,
                          session_stop stop, ingot_error *error);
void session_close(session *s);

/* Hands on the diagnostics that are new; the first error among them becomes the call's. */
ingot_status session_conclude(session *s, ingot_error *error);

/* A warning that has no place in the script. */
ingot_status session_warn(session *s, str message, ingot_error *error);

#endif
