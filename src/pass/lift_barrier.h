/* Barriers out of branches that not all threads take. */
#ifndef PASS_LIFT_BARRIER_H
#define PASS_LIFT_BARRIER_H

#include "pass/uniform.h"

/* EVAL of tvm_storage_sync over threadgroup memory? */
bool is_barrier(const ir_node *stmt);

/* Does a barrier stand anywhere below? */
bool has_barrier(const ir_node *stmt);

/* Every barrier under a condition that varies is moved out of it, the statements before and after it each
 * kept under the condition. What cannot be moved (a loop that threads leave at different times) is
 * reported. *changed says whether anything moved. */
const ir_node *lift_barriers(pass_context *cx, const region_axes *axes, const ir_node *region, bool *changed);

#endif
