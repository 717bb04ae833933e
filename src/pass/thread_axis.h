/* Thread axes by their tags, and the two statements that bind one: thread-bound loops and THREAD.
 */
#ifndef PASS_THREAD_AXIS_H
#define PASS_THREAD_AXIS_H

#include "ir/bound.h"
#include "ir/walk.h"
#include "pass/pass.h"

/* A statement that binds a thread axis, whichever way it was written. */
typedef struct thread_axis {
    str tag;
    const ir_var *var;
    const ir_node *extent;
    const ir_node *body;
    const ir_node *from; /* the statement itself */
} thread_axis;

VEC_DECLARE(thread_axis_vec, thread_axis)

/* Does `n` bind an axis of the hardware (blockIdx.*, threadIdx.*)? Virtual threads do not count. */
bool thread_axis_of(const ir_node *n, thread_axis *out);

/* Does `n` bind an axis of the threads of one group, real (threadIdx) or virtual? */
bool thread_axis_in_group(const ir_node *n, thread_axis *out);

/* A name of blockIdx's or threadIdx's family with x, y or z. */
bool thread_tag_is_real(str tag);
/* "vthread", "vthread.x" ..., "cthread". */
bool thread_tag_is_virtual(str tag);
/* One of threadIdx's. */
bool thread_tag_is_local(str tag);

/* Is any real axis bound in `root` (itself included)? */
bool thread_axis_below(const ir_node *root);

/* Is an axis of the grid (blockIdx.*) bound in `root`? */
bool thread_axis_has_grid(const ir_node *root);

/* Does the statement or expression (NULL: no) touch the memory at `data`? Views and allocations of
 * it count. */
bool memory_is_touched(const ir_node *n, const ir_var *data);

/* The statement with the same binding and another body, as a thread-bound loop or THREAD as it was.
 */
const ir_node *thread_axis_wrap(arena *mem, const thread_axis *axis, const ir_node *body);

/* The body with the axes bound around it, the first outermost, and inside them the annotations of the loops that bound them, as
 * attributes; those that nothing acts on are named in warnings. */
const ir_node *thread_axis_bind(pass_context *cx, const thread_axis_vec *axes, const ir_node *body);

/* The error for global memory that is allocated outside of some axis of the kernel it stands in:
 * neither the host's nor a thread's own. */
void thread_axis_refuse_global(pass_context *cx, const ir_buffer *b);

/* Threads of a group see each other's elements of memory of that scope. */
bool thread_scope_is_shared(ir_scope scope);

/* Tells the analyzer the axis' range. */
void thread_axis_know(ir_analyzer *az, arena *mem, const thread_axis *axis);

/* The axis with `tag`, or NULL. */
const thread_axis *thread_axis_find(const thread_axis_vec *axes, str tag);

#endif
