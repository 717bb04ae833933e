/* Inside the interpreter: its state, and the functions that its files share.
 *
 * All threads of a threadgroup are lanes that go through each statement together; a mask says which
 * take part. So every statement is done by all before the next begins, which is what barriers ask
 * for, and what a program without them, before barriers are put in, means. Expressions have no side
 * effects and are evaluated for one lane and one vector element at a time: a shuffle evaluates its
 * operand for another lane. */
#ifndef IR_EVAL_INNER_H
#define IR_EVAL_INNER_H

#include "base/map.h"
#include "ir/eval.h"

enum { EVAL_SIMD = 32, EVAL_AXES = 6, EVAL_MAX_LANES = 1 << 16 };

/* Memory behind one data variable: `copies` of `size` bytes. */
typedef struct eval_store {
    unsigned char *bytes;
    size_t size, copies;
    ir_scope scope;
    str name;
    uint64_t group; /* the group that last began with it; a new group finds other bytes */
} eval_store;

/* A scalar, or a pointer: bytes from the beginning of one copy of a store. */
typedef struct eval_cell {
    union {
        int64_t i;
        double f;
    };
    eval_store *store;
    size_t copy;
    unsigned half; /* of a pointer to half a byte: 1 for the upper one */
} eval_cell;

/* The value of a variable: for each lane, each vector element; one lane where it is the same for
 * all. */
typedef struct eval_slot {
    eval_cell *cells;
    size_t lanes, elements;
} eval_slot;

/* A thread axis of the kernel region that runs. `var` is set for virtual threads, whose tag may
 * recur. */
typedef struct eval_axis {
    str tag;
    const ir_var *var;
    int64_t extent;
    size_t step; /* lanes from one coordinate to the next; 0 for a block's axis */
    int64_t at;  /* of a block's axis: the coordinate now */
} eval_axis;

VEC_DECLARE(eval_axes, eval_axis)

enum { EVAL_RUNS, EVAL_CONTINUES, EVAL_BREAKS, EVAL_RETURNED };

typedef struct eval {
    arena *keep;    /* stores, slots */
    arena *scratch; /* masks; restored after each statement */
    const ir_module *module;
    map slots;             /* variable -> eval_slot */
    map views;             /* buffer that a block matches -> its ir_match */
    ir_buffer_vec outside; /* buffers of threads' scopes that were allocated outside of a region */
    size_t lanes, threads; /* lanes = threads of the group * virtual threads */
    unsigned char *state;  /* of each lane: EVAL_RUNS ... */
    eval_axes axes;
    map axis_vars;                    /* variable -> the eval_axis that it runs along */
    map named_axes;                   /* variable -> uint64_t *, the axes that its value is made of */
    const struct eval_launch *launch; /* of the kernel that runs; NULL outside of one */
    bool in_region;
    unsigned virtual_depth; /* axes of virtual threads around the statement */
    bool own_only;          /* writes reach the writer's own copy alone */
    uint64_t group;
    const ir_reducer *reducer; /* of the reduce_scope around */
    uint64_t steps, max_steps;
    unsigned depth;
    bool failed;
    str error;
} eval;

/* Where an expression is evaluated: one lane; `mask` the lanes that take part in the statement. */
typedef struct eval_lane {
    eval *ev;
    size_t lane;
    const unsigned char *mask;
} eval_lane;

/* Remembers the first failure; everything then unwinds. */
void eval_fail(eval *ev, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- Variables and memory (eval_memory.c) ---- */

/* The slot of a variable, made where it has none, with room for each lane. */
eval_slot *eval_define(eval *ev, const ir_var *var);
void eval_set(eval *ev, const ir_var *var, size_t lane, size_t element, eval_cell cell);
/* False (and a failure) where the variable has no value. */
bool eval_get(eval_lane at, const ir_var *var, size_t element, span where, eval_cell *out);

/* Has each virtual thread its own copy of the buffer's threadgroup memory? It was allocated below their axis. */
bool eval_is_copied(const eval *ev, const ir_buffer *b);

/* Fresh memory for a buffer, as its scope has it, and its data variable. */
void eval_allocate(eval *ev, const ir_buffer *b, const unsigned char *mask);
/* Its memory as zeros. */
void eval_zero(eval *ev, const ir_buffer *b);
/* A buffer's memory given from outside. */
void eval_adopt(eval *ev, const ir_var *data, void *bytes, size_t size, str name);
/* Buffers that were allocated outside of the region get memory for its lanes. */
void eval_enter_memory(eval *ev);
/* Every store made in a region is other memory for the next group. */
void eval_touch(eval *ev, eval_store *s);

/* A pointer to element `index` (one expression a dimension; element `element` of each vector
 * index). */
bool eval_address(eval_lane at, const ir_buffer *b, ir_list index, size_t element, eval_cell *out);
/* An element of `type` (one lane of it) at a pointer plus `part` elements; checked. */
bool eval_read(eval_lane at, eval_cell pointer, ir_type type, size_t part, span where,
               eval_cell *out);
bool eval_write(eval_lane at, eval_cell pointer, ir_type type, size_t part, span where,
                eval_cell value);

/* ---- Expressions (eval_expr.c) ---- */

/* One vector element of an expression. After a failure the value is 0. */
eval_cell eval_element(eval_lane at, const ir_node *n, size_t element);
static inline eval_cell eval_scalar(eval_lane at, const ir_node *n)
{
    return eval_element(at, n, 0);
}
ir_value eval_value(ir_type type, eval_cell c);
eval_cell eval_cell_of(ir_value v);

/* ---- Statements (eval_stmt.c) ---- */

/* Runs the statement for the lanes of `mask` that still run. */
void eval_exec(eval *ev, const ir_node *n, const unsigned char *mask);
bool eval_on(const eval *ev, const unsigned char *mask, size_t lane);
/* The lowest lane that takes part; false: none. */
bool eval_first(const eval *ev, const unsigned char *mask, size_t *lane);
void eval_block(eval *ev, const ir_block *b, const unsigned char *mask);

/* ---- Threads (eval_thread.c) ---- */

/* The extents that a kernel is launched with, by tag. */
typedef struct eval_launch {
    const str *tags;
    const int64_t *extents;
    size_t n;
} eval_launch;

/* One of vthread's, or cthread. */
bool eval_is_virtual(str tag);
/* Runs the region that begins with this thread-bound loop or THREAD, group after group. */
void eval_region(eval *ev, const ir_node *n);
/* The coordinate of a lane on the axis with this tag; false (and a failure) where there is none.
 * Notes that `var` runs along it. */
bool eval_coordinate(eval *ev, str tag, const ir_var *var, size_t lane, span where, int64_t *out);
/* The value of a shuffle, the mask of active lanes. */
eval_cell eval_shuffle(eval_lane at, const ir_call *c, size_t element);
eval_cell eval_active(eval_lane at);
/* A vote of the lanes of the simdgroup that take part. */
eval_cell eval_vote(eval_lane at, const ir_call *c);
/* The axes of threads that an expression uses, as bits; and whether two lanes differ in those only.
 */
uint64_t eval_axes_used(const eval *ev, const ir_node *n);
/* The variable stands for the value: what uses it uses the value's axes. */
void eval_note_axes(eval *ev, const ir_var *v, const ir_node *value);
bool eval_same_team(const eval *ev, size_t lane, size_t other, uint64_t axes);

/* ---- What threads do together (eval_group.c) ---- */

void eval_call_stmt(eval *ev, const ir_call *c, const unsigned char *mask);
/* A block; one that reduces over threads is run thread by thread, on one thread's copy of the
 * result. */
void eval_reduction(eval *ev, const ir_block *b, const unsigned char *mask);

/* ---- Atomic operations (eval_atomic.c) ---- */

/* Does the operation for one lane; what the element held before. The caller evaluates it once a lane. */
eval_cell eval_atomic(eval_lane at, const ir_call *c);

/* ---- Kernels (eval.c) ---- */

/* A launch by call_packed. */
void eval_packed(eval *ev, const ir_call *c);

#endif
