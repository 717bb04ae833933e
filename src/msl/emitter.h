/* The state that the parts of the MSL emitter share. Inner header of this folder. */
#ifndef MSL_EMITTER_H
#define MSL_EMITTER_H

#include "base/buf.h"
#include "base/diag.h"
#include "base/map.h"
#include "ir/walk.h"

typedef struct emitter {
    arena *mem;
    diag_list *diags;
    buf out;
    map names;   /* const ir_var * -> const char *, the identifier */
    map taken;   /* identifier -> itself */
    map series;  /* identifier -> unsigned *, the last number that was put behind it */
    map written; /* const ir_var * (a pointer) -> itself: memory that the kernel may write */
    map scalars; /* const ir_var * (a pointer) -> itself: one-element locals printed as plain variables */
    map used;    /* const ir_var * -> itself: variables that some expression reads */
    map started; /* data pointer -> the STORE that is its declaration's first value */
    map hoisted; /* const ir_node * (an ALLOC) -> itself: printed at the head of the kernel already */
    map helpers; /* what an atomic operation needs -> name of a function before the kernel */
    const ir_buffer *dynamic; /* threadgroup memory sized at launch, or NULL */
    map arguments; /* const ir_var * -> itself: scalars that live in the argument struct */
} emitter;

/* ---- names.c ---- */

/* The identifier of a variable, made on first use: its name made valid, apart from the words of C++
 * and Metal and from every other name of the kernel. */
const char *msl_var_name(emitter *e, const ir_var *v);

/* An identifier like `wanted` that nothing else has, taken from now on. */
const char *msl_fresh_name(emitter *e, str wanted);

/* ---- type.c ---- */

/* "float4"; NULL where Metal has no such type. */
const char *msl_type(emitter *e, ir_type t);

/* The same, reporting the lack at `at` ("float" stands in, so that the emitter can go on). */
const char *msl_type_or_error(emitter *e, ir_type t, span at);

/* "packed_float4": a vector with its element's alignment; NULL where there is none. */
const char *msl_packed_type(emitter *e, ir_type t);

/* "device", "threadgroup", "thread". */
const char *msl_space(ir_scope scope);

/* ---- usage.c ---- */

/* Fills `written`, `scalars` and `used`. */
void msl_note_usage(emitter *e, const ir_func *kernel);

/* ---- expr.c ---- */

/* Prints an expression; `level` is the precedence that the context binds with (0 = none). */
void msl_expr(emitter *e, const ir_node *n, int level);

/* Prints the place that an access of one element means: "A[i]", "acc". */
void msl_element(emitter *e, const ir_buffer *b, const ir_node *index);

/* Prints the place of one lane; `where` names a variable that holds the index vector, or NULL. */
void msl_element_lane(emitter *e, const ir_buffer *b, const ir_node *index, const char *where, uint32_t lane);

/* Prints one lane of an index or value expression. */
void msl_lane(emitter *e, const ir_node *n, uint32_t lane, int level);

/* How an access with this index looks in memory. */
typedef enum msl_access { MSL_ELEMENT, MSL_ALIGNED, MSL_PACKED, MSL_LANES } msl_access;
msl_access msl_access_of(emitter *e, const ir_buffer *b, const ir_node *index, ir_type type);

/* Prints "*(device float4 *)(A + base)" for MSL_ALIGNED and MSL_PACKED. */
void msl_vector_place(emitter *e, const ir_buffer *b, const ir_node *index, ir_type type, msl_access how);

enum { MSL_TIGHTEST = 20, MSL_UNARY = 14, MSL_LOWEST = 0 };

/* ---- atomic.c ---- */

/* Prints the functions that the kernel's atomic operations need; refuses those on a thread's own memory. */
void msl_atomic_helpers(emitter *e, const ir_node *body);

/* Prints the call of an atomic operation. */
void msl_atomic(emitter *e, const ir_call *n);

/* ---- stmt.c ---- */

void msl_stmt(emitter *e, const ir_node *n);

/* Prints the declaration of an allocation. */
void msl_alloc(emitter *e, const ir_alloc *alloc);

#endif
