/* Lowering of the typed tree to a graph: what its files share. */
#ifndef EMU_LOWER_H
#define EMU_LOWER_H

#include "base/diag.h"
#include "base/map.h"
#include "emu/graph.h"
#include "mslfront/tree.h"

/* What is known of a launch when a kernel is lowered for it. */
typedef struct emu_shape {
    bool known;          /* false: only to see whether the kernel can be lowered at all */
    uint32_t threads[3]; /* of a threadgroup */
    uint32_t batch;      /* threadgroups a run works on at once */
    uint32_t axis;       /* along which those lie in the grid */
    unsigned checks;     /* mask: see finding.h */
    bool scheduled;      /* simdgroups run one by one */
    uint8_t math;        /* emu_math */
    uint64_t seed;       /* of what the mode leaves open; 0 in safe mode */
    bool uneven;         /* the grid is no multiple of the threadgroups ... */
    uint32_t nominal[3]; /* ... which have these threads but at its ends, where `threads` are fewer */
} emu_shape;

/* One scalar within a type; `object` marks the object half of a pointer, whose offset half lies at the same place. */
typedef struct leaf {
    uint64_t offset;
    emu_type type;
    bool object;
} leaf;
typedef struct leaf_list {
    const leaf *at;
    size_t n;
} leaf_list;

/* A value: a node a leaf of its type. Of a structure that was copied from a variable: has each leaf been written? */
typedef struct val {
    emu_node **at;
    size_t n;
    emu_node **set; /* checked programs; NULL: all have */
} val;

/* A place in memory or in a variable; of a swizzled vector only the picked elements. */
typedef struct place {
    emu_space space;
    emu_node *object, *offset;
    const mf_type *type;
    uint8_t pick[4];
    uint8_t picks;
    uint16_t align; /* of a part: what the whole's type promises of its address, in bytes; 0: the place's own type does */
} place;

/* What a variable of the text stands for in the function being lowered. */
typedef struct binding {
    bool bound;
    place at;
} binding;

typedef struct call_frame {
    const mf_function *function;
    binding *params, *locals;
    emu_region *block;      /* what a return leaves; NULL where only the last statement returns */
    emu_variable **result;  /* what a return sets, with a block */
    val value;              /* what the last statement returned, without */
    place result_place;     /* of a function returning a reference */
    emu_variable *again;    /* of a function that calls itself: whether its body is to run once more, set before `turn` is left */
    emu_region *turn;
    struct call_frame *outer;
} call_frame;

typedef struct jumps {
    emu_region *on_break, *on_continue;
} jumps;

typedef struct lower {
    emu_graph *g;
    arena *mem;
    diag_list *diags;
    const mf_function *kernel;
    const emu_shape *shape;
    call_frame *frame;
    jumps jumps;
    map leaves;      /* by type: leaf_list */
    map *memory;     /* by declaration: what must lie in memory */
    const mf_var **kept; /* the variable that lasts from call to call; NULL in it: none was met yet */
    map globals;     /* by mf_var: index of its object, plus 1 */
    emu_local *stack; /* see lower_pointer.c; NULL where there is none */
    bool restart;    /* `memory` grew: begin again */
    bool failed;
    unsigned depth;  /* of calls */
    bool collective; /* a simdgroup's matrix is being loaded or stored */
} lower;

/* Says that a construct is not supported, once a place. */
void lower_refuse(lower *l, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* lower_type.c */
emu_type lower_scalar(mf_scalar s);
leaf_list lower_leaves(lower *l, const mf_type *t);
val lower_val(lower *l, size_t n);
val lower_zero(lower *l, const mf_type *t);

/* lower_place.c */
emu_local *lower_local(lower *l, const void *key, str name, const mf_type *type);
place lower_local_place(lower *l, const emu_local *local);
place lower_field(lower *l, place p, const mf_type *type, uint64_t offset);
place lower_index(lower *l, place p, const mf_type *type, emu_node *index);
val lower_read(lower *l, place p, span at);
void lower_write(lower *l, place p, val v, span at);
/* The first value of a variable. */
void lower_start(lower *l, const emu_local *local, val v, span at);
void lower_poison(lower *l, const emu_local *local);
emu_mem *lower_mem(lower *l, place p, emu_type type, unsigned count, uint64_t offset);
uint32_t lower_object(lower *l, const emu_object_info *info);
place lower_global(lower *l, const mf_var *v);

/* lower_pointer.c */
/* The variable has to lie in memory: the kernel is lowered again. */
void lower_to_memory(lower *l, const emu_local *local);
/* A pointer or reference to the place is kept, so that it may change without its name being written. */
void lower_note_pointed(lower *l, place p);
/* The thread variable that a place is in; where only a run can tell, the stack, and the place is moved there. */
emu_local *lower_pointed_local(lower *l, place *p);
bool lower_is_on_stack(const lower *l, const void *key);
emu_local *lower_stack(lower *l);
/* Room on the stack: the offset. */
uint64_t lower_push_stack(lower *l, const mf_type *type);
/* Local 0, which is not there: what a null pointer to thread memory points at. */
void lower_make_null(lower *l);
/* Pointers as 64 bits: the object's number in the upper 16, the offset in the lower 48. */
emu_node *lower_encode_pointer(lower *l, emu_node *object, emu_node *offset);
/* Where a pointer that is not to thread memory points, as the memory lies: those of two arguments may meet. 0 where nothing is bound. */
emu_node *lower_address(lower *l, emu_node *object, emu_node *offset);
void lower_decode_pointer(lower *l, emu_node *bits, emu_node *out[2]);

/* lower_expr.c */
val lower_eval(lower *l, const mf_expr *e);
place lower_place(lower *l, const mf_expr *e);
void lower_drop(lower *l, const mf_expr *e);
emu_node *lower_scalar_of(lower *l, const mf_expr *e);
val lower_binary(lower *l, mf_op op, const mf_type *type, val a, val b, const mf_expr *e);

/* lower_builtin.c, lower_cross.c: calls of the library */
val lower_builtin(lower *l, const mf_expr *e);
val lower_cross(lower *l, const mf_expr *e);
val lower_atomic(lower *l, const mf_expr *e);
val lower_matrix_call(lower *l, const mf_expr *e);
/* The row and the first column of the two elements of a simdgroup matrix that a lane holds. */
void lower_matrix_place(lower *l, emu_node **row, emu_node **column);

/* lower_pack.c: an empty value where the function is none of those */
val lower_pack(lower *l, const mf_expr *e);

/* lower_log.c: a message, once its format is read */
val lower_log(lower *l, const mf_expr *e);

/* lower_texture.c */
val lower_texture(lower *l, const mf_expr *e);
/* A kernel's texture or sampler parameter. */
void lower_bind_handles(lower *l, const mf_var *p, binding *b);

/* lower_stmt.c */
val lower_call(lower *l, const mf_expr *e, place *where);
bool lower_stmt(lower *l, const mf_stmt *s); /* false where control does not go on behind it */
void lower_body(lower *l, const mf_function *f);

/* lower_scan.c: questions about the tree */
bool lower_is_cheap(const mf_expr *e);           /* may be evaluated although not asked for: no effect, no fault */
size_t lower_weight(const mf_stmt *s);           /* rough size of the code */
bool lower_has_break(const mf_stmt *s);          /* leaves the loop or switch that s is the body of */
bool lower_has_continue(const mf_stmt *s);
bool lower_has_early_return(const mf_function *f); /* returns elsewhere than at its end */
/* Calls visit with each variable that s may write, directly or by having its address taken. */
void lower_writes(const mf_stmt *s, void (*visit)(void *user, mf_var *v), void *user);
void lower_expr_writes(const mf_expr *e, void (*visit)(void *user, mf_var *v), void *user);

/* lower_kernel.c */
emu_node *lower_input(lower *l, mf_input input, unsigned dimension);

/* Builds the graph of a kernel; NULL where the diagnostics got an error. Under the arena's guard. */
emu_graph *emu_lower(arena *mem, const mf_function *kernel, const emu_shape *shape, diag_list *diags);

#endif
