/* Kernel regions: the outermost THREAD statements of a function's body, and the axes under them. */
#ifndef PASS_REGION_H
#define PASS_REGION_H

#include "ir/bound.h"
#include "ir/walk.h"
#include "pass/pass.h"

/* One thread axis of a region. */
typedef struct region_axis {
    str tag;
    const ir_var *var;     /* of the first THREAD with this tag */
    const ir_node *extent; /* likewise */
    span at;
} region_axis;

VEC_DECLARE(region_axes, region_axis)

/* The axes under `root` in order of appearance; the first THREAD of a tag stands for all of its tag. */
region_axes region_axes_of(arena *mem, const ir_node *root);

/* Is it one of a threadgroup's own axes (threadIdx.*)? */
bool region_axis_is_local(const region_axis *axis);

/* The axis whose variable is `v`, or NULL. */
const region_axis *region_axis_of(const region_axes *axes, const ir_var *v);

/* The axis with this tag, or NULL. */
const region_axis *region_axis_tagged(const region_axes *axes, const char *tag);

/* Tells the analyzer the range of each axis. */
void region_axes_know(ir_analyzer *az, arena *mem, const region_axes *axes);

/* The constant extent of the axis; 0 where it is not constant or not positive. */
int64_t region_axis_extent(const region_axis *axis);

/* `root` without its THREAD statements; variables of repeated tags are replaced by the first one's. */
const ir_node *region_strip(arena *mem, const ir_node *root, const region_axes *axes);

/* `body` inside one THREAD statement an axis, in the order of `axes`. */
const ir_node *region_wrap(arena *mem, const ir_node *body, const region_axes *axes);

/* What a pass makes of one region. */
typedef const ir_node *(*region_fn)(void *user, const ir_node *thread);

/* The body with each outermost THREAD replaced by what fn returns for it. */
const ir_node *region_each(arena *mem, const ir_node *body, region_fn fn, void *user);

#endif
