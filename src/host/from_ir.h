/* Lowering host functions of the IR to host code. */
#ifndef HOST_FROM_IR_H
#define HOST_FROM_IR_H

#include "base/diag.h"
#include "host/program.h"
#include "ir/ir.h"

/* Lowers each HOST function of a split module; its launches name KERNEL functions of the same module. `mem` is the
 * compile's arena (guarded inside); the program is verified and lives in `out_mem`. What host code cannot do is
 * reported to `diags` with its place, and the status is INGOT_UNSUPPORTED (or INGOT_SYNTAX for a parameter that
 * cannot be bound), with the first message in *error. */
ingot_status host_from_ir(pool *out_mem, arena *mem, const ir_module *m, diag_list *diags, const host_program **out,
                          ingot_error *error);

#endif
