/* A kernel as a graph of scalar operations in structured control flow: what the tree is lowered to, and what bytecode is
 * made from.
 *
 * Nodes stand in one list in the order of execution; IF ... ELSE ... ENDIF, LOOP ... ENDLOOP and BLOCK ... ENDBLOCK open
 * and close regions. A node's value is fixed once it is computed; what changes lives in variables, read by GET and
 * written by SET. Pure nodes are shared where equal and stand before the outermost loop that they do not depend on.
 */
#ifndef EMU_GRAPH_H
#define EMU_GRAPH_H

#include "base/arena.h"
#include "base/source.h"
#include "base/str.h"
#include "base/vec.h"
#include "emu/log.h"
#include "emu/vm.h"

typedef enum emu_kind {
    EMU_CONST,   /* imm: integers extended to 64 bits by the type, floats their bits */
    EMU_INPUT,   /* k: emu_input */
    EMU_PURE,    /* op over in[] */
    EMU_GET,     /* value of var here */
    EMU_SET,     /* var = in[0] */
    EMU_LOAD,    /* mem; element 0. Further elements are its PARTs */
    EMU_PART,    /* element k of the load in[0] */
    EMU_STORE,   /* mem */
    EMU_ATOMIC_NODE, /* mem, k: emu_atomic; in[0] value, in[1] expected */
    EMU_CROSS,   /* op, k, imm (block) over in[]: depends on which lanes are active */
    EMU_MATRIX_NODE, /* in[0..3] = two registers each of a and b, more[0..1] of c; its PARTs 0 and 1 are the result */
    EMU_TEXTURE_NODE, /* op FETCH, STORE or ATOMIC (imm: emu_atomic), k: emu_pixel_class; in[0..2], of STORE and ATOMIC also in[3], of STORE
                         more[0]; PARTs 0 and 1 of FETCH are the pixel, 0 of ATOMIC the old value */
    EMU_FILL,    /* a thread array set to 0xFF: mem->local */
    EMU_SYNC,    /* barrier of the threadgroup, or (imm 1; checked programs) of the simdgroup, over the memories in k */
    EMU_LOG_NODE, /* op LOGVALUE: in[0] (64 bits) is value imm of the message to come; LOGTEXT: message imm of `logs` */
    EMU_FENCE,   /* memory fence over the memories in k (EMU_FLAG_...); checked programs */
    EMU_HOLD,    /* in[0] must hold, else k (an emu_rule) is reported, about the local imm; checked programs. Of k INDEX in[0] (64 bits, from
                  * emu_split_addresses on uniform) plus in[1] (or NULL, as in[0] may be) must be a value of operand_type */
    EMU_IF_NODE, /* in[0] condition */
    EMU_ELSE_NODE,
    EMU_ENDIF,
    EMU_LOOP_NODE,
    EMU_ENDLOOP,
    EMU_BLOCK,   /* k: 1 for what `continue` leaves */
    EMU_ENDBLOCK,
    EMU_BREAK    /* leaves `target` (a loop or block): all active lanes, or those where in[0] is `k` (0 or 1) */
} emu_kind;

typedef enum emu_input {
    EMU_INPUT_THREAD_X, /* position in the threadgroup */
    EMU_INPUT_THREAD_Y,
    EMU_INPUT_THREAD_Z,
    EMU_INPUT_LINEAR,   /* x + width * (y + height * z) */
    EMU_INPUT_MEMBER,   /* which threadgroup of the batch the lane is in */
    EMU_INPUT_ZERO,     /* 0, but a register of lanes */
    EMU_INPUT_GROUP_X,  /* the (first) threadgroup's position in the grid */
    EMU_INPUT_GROUP_Y,
    EMU_INPUT_GROUP_Z,
    EMU_INPUT_GROUPS_X, /* threadgroups in the grid */
    EMU_INPUT_GROUPS_Y,
    EMU_INPUT_GROUPS_Z,
    EMU_INPUT_GRID_X,   /* threads in the grid, where it is uneven */
    EMU_INPUT_GRID_Y,
    EMU_INPUT_GRID_Z,
    EMU_INPUTS
} emu_input;

/* What a value depends on, as bits; 0 is the same for the whole launch. */
enum {
    EMU_BY_LANE = 1, /* differs between lanes */
    EMU_BY_RUN = 2   /* differs between runs (batches of threadgroups), or over time */
};

typedef struct emu_node emu_node;
typedef struct emu_region emu_region;
typedef struct emu_variable emu_variable;
typedef struct emu_local emu_local;
typedef struct emu_mem emu_mem;

typedef enum emu_region_kind { EMU_ROOT, EMU_REGION_IF, EMU_REGION_ELSE, EMU_REGION_LOOP, EMU_REGION_BLOCK } emu_region_kind;

struct emu_region {
    emu_region_kind kind;
    emu_region *parent;
    uint32_t depth;
    bool divergent;  /* lanes may be active in it while others of its parent are not */
    bool broken;     /* LOOP, BLOCK: has a BREAK */
    emu_node *head;  /* LOOP, BLOCK, IF: the node that opens it */
    uint32_t start, end; /* positions of its opening and closing nodes, once numbered */
    uint32_t level;      /* of its mask, where divergent; while emitting */
    uint32_t label;      /* LOOP, BLOCK: what leaving it goes to; while emitting */
};

struct emu_variable {
    emu_type type;
    emu_region *home; /* it is used within this region only */
    uint8_t depends;
    emu_node *current;  /* the value known to be in it at this point, or NULL */
    emu_node *last_set; /* the latest SET, unread where `last_epoch` is still the graph's */
    uint32_t last_epoch;
    uint32_t reg, first, last; /* register and positions it is alive over */
    emu_node *gets, *sets;     /* chained by `chain` */
    emu_variable *next;
};

/* A variable of the text in thread space: in registers (one emu_variable a leaf) unless some access needs memory. */
struct emu_local {
    const void *key; /* what it was declared by */
    const struct mf_type *type;
    str name;
    uint64_t size;
    uint32_t index;
    bool in_memory;
    bool pointed; /* a pointer or reference to it has been made */
    bool on_stack; /* it lies at `stack_at` of the stack (lower_pointer.c), and not here */
    uint64_t stack_at;
    bool used; /* by a load or store that stays */
    uint8_t granule;
    uint32_t at; /* offset in the frame */
    emu_variable **leaves;
    bool watched;       /* checked programs: declared without a value */
    emu_variable **set; /* ... by leaf: has it been written? */
};

/* An object of memory that is not thread space. */
typedef enum emu_object_kind {
    EMU_OBJECT_NULL,
    EMU_OBJECT_BUFFER,      /* slot */
    EMU_OBJECT_LENGTH,      /* threadgroup memory of slot, length given by the launch */
    EMU_OBJECT_THREADGROUP, /* at `offset` of the threadgroup's memory */
    EMU_OBJECT_GLOBAL       /* constant data of the text */
} emu_object_kind;
typedef struct emu_object_info {
    emu_object_kind kind;
    str name;
    uint32_t slot;
    uint64_t offset, size;
    bool writable;
    const void *data; /* GLOBAL */
    const void *key;
} emu_object_info;
VEC_DECLARE(emu_object_list, emu_object_info)

typedef enum emu_space { EMU_SPACE_THREAD, EMU_SPACE_DEVICE, EMU_SPACE_CONSTANT, EMU_SPACE_THREADGROUP } emu_space;

struct emu_mem {
    emu_space space;
    emu_node *object;   /* i32: index into the objects, or for thread space of the local */
    emu_node *offset;   /* i64 bytes */
    emu_local *local;   /* thread space */
    emu_type type;      /* of an element */
    uint8_t count;
    bool safe;          /* cannot fault: may be done before it is due */
    bool quiet;         /* part of a copy of a structure or array: what was never written may be read */
    bool collective;    /* by a simdgroup as a whole: a matrix */
    uint16_t align;     /* of the type accessed; 0: not known */
    emu_node *value[4]; /* STORE */
    /* The address in parts, from emu_split_addresses. */
    emu_node *base, *index, *lanes;
    int64_t imm, index_imm, scale;
    emu_extend extend;
    bool by_lane; /* lanes is lane-constant */
};

struct emu_node {
    uint8_t kind, op, type, k;
    uint8_t depends;
    uint8_t operand_type; /* comparisons, CONVERT, REDUCE ...: of in[0] */
    bool live, placed;
    bool trusted; /* made by the library's own integer functions, whose operands need no check */
    bool kept; /* its operands are looked at behind it: the result may not lie on them */
    emu_node *in[4];
    emu_node *more[2];
    int64_t imm;
    emu_variable *var;
    emu_mem *mem;
    emu_region *region;  /* that it stands in */
    emu_region *opened;  /* IF, ELSE, LOOP, BLOCK and their ends: the region */
    emu_region *target;  /* BREAK */
    emu_node *prev, *next;
    emu_node *hash_next;
    emu_node *chain;
    span at;
    /* Later stages. */
    uint32_t uses, position, last, reg;
    bool alias, coalesced;
    emu_node *split_index, *split_lanes; /* memory of emu_split_addresses */
    int64_t split_imm;
    bool split_done;
};

/* A variable's known value before it changed. */
typedef struct emu_change {
    emu_variable *var;
    emu_node *before;
} emu_change;
VEC_DECLARE(emu_change_list, emu_change)
VEC_DECLARE(emu_mark_list, size_t)

/* One kernel being built. One thread at a time; everything lies in the arena. */
typedef struct emu_graph {
    arena *mem;
    emu_node *first, *last;
    emu_region *root, *region; /* the region being filled */
    emu_node *before; /* nodes are put before this one; NULL: at the end */
    emu_node **hash;
    uint32_t hash_size, hash_count;
    emu_variable *variables; /* newest first */
    emu_variable *last_variable;
    emu_object_list objects; /* 0 is the null object */
    emu_log_calls logs;
    emu_local **locals;
    uint32_t local_count, local_cap;
    uint64_t threadgroup_bytes; /* static */
    bool unsettled; /* reads a function constant that has no value yet */
    span at; /* put on nodes made ... */
    span called_at; /* ... within the library's functions that of their call; file 0 outside of those */
    uint32_t node_count;
    bool trusted;    /* put on nodes made */
    uint8_t math;    /* emu_math */
    bool precise;    /* what is made now is to be exact in any mode */
    uint64_t seed;   /* of what the mode leaves open */
    unsigned checks; /* mask; with those of values nothing is computed before its time */
    uint32_t epoch; /* counts regions opened, closed and left */
    emu_change_list changes; /* of what is known of variables, since the first open region began */
    emu_mark_list marks;     /* number of changes when each open region began */
} emu_graph;

void emu_graph_init(emu_graph *g, arena *mem);

emu_node *emu_constant(emu_graph *g, emu_type type, int64_t value);
emu_node *emu_constant_float(emu_graph *g, emu_type type, double value);
emu_node *emu_input_node(emu_graph *g, emu_input which, uint8_t depends);

/* Pure operations, folded, simplified and shared. `type` is the type operated on: for comparisons of the operands. */
emu_node *emu_unary(emu_graph *g, emu_op op, emu_type type, emu_node *a);
emu_node *emu_binary(emu_graph *g, emu_op op, emu_type type, emu_node *a, emu_node *b);
emu_node *emu_ternary(emu_graph *g, emu_op op, emu_type type, emu_node *a, emu_node *b, emu_node *c);
/* `a` by value as another type; by way of float or int where no single conversion exists. */
emu_node *emu_convert(emu_graph *g, emu_type to, emu_node *a);
/* The same bits as another type of the same size. */
emu_node *emu_reinterpret(emu_graph *g, emu_type to, emu_node *a);
emu_node *emu_select(emu_graph *g, emu_node *condition, emu_node *yes, emu_node *no);
emu_node *emu_not(emu_graph *g, emu_node *a);
static inline bool emu_is_const(const emu_node *n)
{
    return n->kind == EMU_CONST;
}

/* A node of any other kind, put in place. */
emu_node *emu_effect(emu_graph *g, emu_kind kind, emu_type type);
/* A load that is shared and moved as pure nodes are (m->safe), or stands where it is. */
emu_node *emu_load(emu_graph *g, emu_mem *m);
emu_node *emu_part(emu_graph *g, emu_node *load, unsigned k);

emu_variable *emu_new_variable(emu_graph *g, emu_type type, emu_region *home);
emu_node *emu_get(emu_graph *g, emu_variable *v);
void emu_set(emu_graph *g, emu_variable *v, emu_node *value);

/* Regions. Between, nodes go into them. A variable written in a branch or loop is unknown after it. */
emu_region *emu_open(emu_graph *g, emu_kind kind, emu_region_kind region, emu_node *condition);
emu_region *emu_else(emu_graph *g);
void emu_close(emu_graph *g, emu_kind kind);
/* all lanes; or those where the condition is `when` */
void emu_break(emu_graph *g, emu_region *target, emu_node *condition, bool when);

/* What is in it is not known any more: before a loop that writes it. */
void emu_forget(emu_graph *g, emu_variable *v);

static inline bool emu_within(const emu_region *inner, const emu_region *outer)
{
    while (inner->depth > outer->depth) inner = inner->parent;
    return inner == outer;
}

/* What a math mode other than safe makes of an operation; NULL where it stays as it is. */
emu_node *emu_relax(emu_graph *g, emu_op op, emu_type type, emu_node *const *in, unsigned n);

/* The folded constant of an operation over constants; NULL where it is left to the machine. */
emu_node *emu_fold(emu_graph *g, emu_op op, emu_type type, emu_node *const *in, unsigned n);

#endif
