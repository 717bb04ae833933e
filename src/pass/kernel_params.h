/* What a kernel region takes from its host function: parameters, memory that moves in, scalars loaded before. */
#ifndef PASS_KERNEL_PARAMS_H
#define PASS_KERNEL_PARAMS_H

#include "pass/free_vars.h"
#include "pass/region.h"

/* What the host part of a function defines and uses. */
typedef struct host_scan {
    map names;   /* pointer of a parameter's or a temporary's buffer -> that buffer */
    map allocs;  /* pointer -> its ALLOC outside the regions */
    map binds;   /* pointer variable -> its BIND outside the regions */
    map used;    /* pointers that host code loads from, stores to or passes on */
    map regions; /* pointer -> the one region that uses it, or the host's function where several do */
    map naturals; /* variables that are never negative: dimensions, counts of loops */
} host_scan;

host_scan host_scan_of(arena *mem, const ir_func *f);

/* Does this memory of the host stand in one region only, so that it belongs there? */
bool host_memory_moves(const host_scan *h, const ir_alloc *alloc);

/* One parameter: `var` in the kernel, `arg` what the host passes. */
typedef struct kernel_param {
    const ir_var *var;
    const ir_node *arg;
} kernel_param;

VEC_DECLARE(kernel_param_vec, kernel_param)

typedef struct kernel_params {
    kernel_param_vec params; /* pointers sorted by name, then scalars sorted by name */
    ir_node_vec loads;       /* statements of the host before the launch: BIND of its mutable scalars */
    const ir_node *body;     /* in the kernel's own variables, after the views and what moved in */
} kernel_params;

/* Makes the parameters of the region with these axes, whose stripped body is `body`. */
kernel_params kernel_params_of(pass_context *cx, const host_scan *h, const region_axes *axes, const ir_node *body);

#endif
