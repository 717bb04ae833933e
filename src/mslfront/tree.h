/* The typed tree of an MSL text, and the call that makes it.
 *
 * Everything is resolved: a name is a pointer to its declaration, a call names its function or
 * builtin, every conversion is a node. A consumer needs no rule of C++. All of it lies in the arena
 * given to mf_parse and is constant once handed out.
 *
 * Places and values. An expression with `lvalue` set stands for a place: `space` says in which
 * address space and `quals` what may be done there. Its value is only taken by a LOAD node around
 * it. Where a place is wanted (operand of ADDRESS, DECAY, assignment, ++, MEMBER, ELEMENT, a
 * reference being bound) it stands without LOAD. An expression without `lvalue` is a value; `space`
 * is MF_NO_SPACE.
 */
#ifndef MSLFRONT_TREE_H
#define MSLFRONT_TREE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"
#include "mslfront/builtin.h"
#include "mslfront/types.h"

typedef struct mf_expr mf_expr;
typedef struct mf_stmt mf_stmt;
typedef struct mf_var mf_var;

/* Expressions */

typedef enum mf_expr_kind {
    MF_EXPR_CONST, /* value of a SCALAR, ENUM or FUNCTION type: `constant` */
    MF_EXPR_ZERO,  /* the all-zero value of any type: T(), T{} */
    MF_EXPR_VAR,   /* place: `var`; one of reference type stands for the place it refers to */
    MF_EXPR_LOAD,  /* value of the place `a` (any type that can be copied; of a record: a copy) */
    MF_EXPR_TEMPORARY,  /* thread place holding the value `a`, living until the statement ends */
    MF_EXPR_NEGATE,     /* -a: arithmetic scalar or vector of the same type */
    MF_EXPR_COMPLEMENT, /* ~a: integer */
    MF_EXPR_NOT,        /* !a: bool or bool vector */
    MF_EXPR_PRE_INC,    /* ++a: place; gives the place a. Integers, floats, vectors, pointers */
    MF_EXPR_PRE_DEC,
    MF_EXPR_POST_INC, /* a++: place; gives its old value */
    MF_EXPR_POST_DEC,
    MF_EXPR_DEREF,   /* *a: the place a pointer value points at */
    MF_EXPR_ADDRESS, /* &a: pointer value of a place */
    MF_EXPR_BINARY,  /* a `op` b: values; see ops.def for the types */
    MF_EXPR_AND,     /* a && b: scalar bools, b only evaluated when a holds */
    MF_EXPR_OR,      /* a || b */
    MF_EXPR_COND,  /* a ? b : c: a is a scalar bool; b and c of one type, both places or both values
                    */
    MF_EXPR_COMMA, /* a, b: gives b */
    MF_EXPR_ASSIGN,    /* a = b: place a, value b of a's type; gives the place a */
    MF_EXPR_ASSIGN_OP, /* a op= b: as a = convert(convert(LOAD a to `compute`) op b), a evaluated
                          once; gives a. b is already converted. Pointers: += and -= with an integer
                          b, `compute` the pointer type */
    MF_EXPR_CAST,      /* `cast` of a; see casts.def. `implicit` when nobody wrote it */
    MF_EXPR_CONSTRUCT, /* VECTOR from args: scalars and vectors of its element type, widths summing
                          to its width. MATRIX from args: one vector a column. SIMD_MATRIX from one
                          scalar: on the diagonal */
    MF_EXPR_AGGREGATE, /* ARRAY, RECORD, from args: one an element or field, in order, missing ones
                          zero; a union's first field only */
    MF_EXPR_SWIZZLE,   /* a.xyz: VECTOR or PACKED; place when a is a place. `swizzle`,
                          `swizzle_count`; type scalar for 1 */
    MF_EXPR_ELEMENT, /* a[b]: one element of a VECTOR or PACKED, or a column of a MATRIX; place when
                        a is a place */
    MF_EXPR_INDEX,  /* a[b]: place; a is a pointer value, b an integer (int, uint, long or ulong) */
    MF_EXPR_MEMBER, /* a.field: place; a is a place (values are put in a TEMPORARY),
                       `record->fields[field]` */
    MF_EXPR_CALL,   /* `function`(args): user function; one arg a parameter, places for reference
                       parameters */
    MF_EXPR_BUILTIN, /* `builtin`(args): args of the types the chosen overload takes; places where
                        it takes references */
    MF_EXPR_ERROR    /* already complained about; never in a tree handed out */
} mf_expr_kind;

typedef enum mf_op {
#define MF_BINOP(ID, text, precedence, class) MF_OP_##ID,
#include "mslfront/ops.def"
#undef MF_BINOP
    MF_OPS
} mf_op;

typedef enum mf_cast {
#define MF_CAST_KIND(ID) MF_CAST_##ID,
#include "mslfront/casts.def"
#undef MF_CAST_KIND
    MF_CASTS
} mf_cast;

typedef enum mf_math {
    MF_MATH_DEFAULT,
    MF_MATH_FAST,
    MF_MATH_PRECISE
} mf_math; /* f(), fast::f(), precise::f() */

/* A scalar. Integers and bool: `i`, sign- or zero-extended to 64 bits by the type. Floats: `f`,
 * already rounded to the type, so that narrowing is exact. */
typedef union mf_constant {
    uint64_t i;
    double f;
} mf_constant;

/* Limits on nesting; a text that passes one is refused. An else-if chain counts as one level of
 * statements, but may have MF_ELSE_CHAIN links. */
enum { MF_EXPR_DEPTH = 1000, MF_STMT_DEPTH = 200, MF_ELSE_CHAIN = 1000 };

struct mf_expr {
    mf_expr_kind kind;
    bool lvalue;
    bool implicit;
    uint8_t quals;  /* of a place */
    mf_space space; /* of a place */
    uint16_t
        depth; /* height of the tree under it: at most MF_EXPR_DEPTH, so that walkers may recurse */
    span at;
    const mf_type *type; /* never REFERENCE */
    mf_expr *a, *b, *c;
    mf_expr **args; /* CONSTRUCT, AGGREGATE, CALL, BUILTIN */
    uint32_t arg_count;
    mf_op op;               /* BINARY, ASSIGN_OP */
    const mf_type *compute; /* ASSIGN_OP: the type the operation is done in */
    union {
        mf_constant constant;
        mf_var *var;
        mf_cast cast;
        uint32_t field;
        struct {
            uint8_t swizzle[4]; /* element numbers, 0 to 3 */
            uint8_t swizzle_count;
        };
        mf_function *function;
        struct mf_symbol *set; /* for the parser: of a value of mf_set_type() */
        struct {
            mf_builtin builtin;
            mf_math math;
        };
    };
};

/* Statements */

typedef enum mf_stmt_kind {
    MF_STMT_EXPR,   /* `expr`, its value dropped */
    MF_STMT_DECL,   /* `var` comes into being; its init, if any, is evaluated here */
    MF_STMT_BLOCK,  /* `items` */
    MF_STMT_IF,     /* `cond`, `body`, `other` or NULL */
    MF_STMT_FOR,    /* `init` (NULL, EXPR, DECL or BLOCK), `cond` or NULL (true), `step` or NULL,
                       `body` */
    MF_STMT_WHILE,  /* `cond`, `body` */
    MF_STMT_DO,     /* `body`, `cond` */
    MF_STMT_SWITCH, /* `cond` (int, uint, long or ulong); `items` with MF_STMT_CASE among them at
                       that level only */
    MF_STMT_CASE, /* a label in front of the next item: `case_value`, or `is_default`; control falls
                     through */
    MF_STMT_BREAK,
    MF_STMT_CONTINUE,
    MF_STMT_RETURN, /* `expr`, or NULL; a place where the function returns a reference */
    MF_STMT_EMPTY
} mf_stmt_kind;

/* What `#pragma unroll` before a loop asks for. */
enum { MF_UNROLL_DEFAULT = 0, MF_UNROLL_FULL = -1, MF_UNROLL_NONE = 1 }; /* else: the factor */

struct mf_stmt {
    mf_stmt_kind kind;
    span at;
    bool is_default;
    int32_t unroll; /* FOR, WHILE, DO */
    int64_t case_value;
    mf_expr *expr;
    mf_expr *cond; /* scalar bool value */
    mf_expr *step;
    mf_var *var;
    mf_stmt *init, *body, *other;
    mf_stmt **items;
    size_t item_count;
};

/* Declarations */

typedef enum mf_var_kind {
    MF_VAR_LOCAL, /* in thread space, or in threadgroup space (one for all threads of the group;
                     kernels only) */
    MF_VAR_PARAM,
    MF_VAR_GLOBAL /* constant space, with an initialiser; or (binding INPUT) an input that every function may read, none of a unit's globals */
} mf_var_kind;

typedef enum mf_input {
    MF_INPUT_NONE,
#define MF_INPUT(ID, attribute, dimensions) MF_INPUT_##ID,
#include "mslfront/inputs.def"
#undef MF_INPUT
    MF_INPUTS
} mf_input;

/* How a kernel's parameter is bound. */
typedef enum mf_binding {
    MF_BIND_NONE,        /* of a plain function's parameter, a local or a global */
    MF_BIND_BUFFER,      /* [[buffer(slot)]]: pointer or reference to device or constant */
    MF_BIND_THREADGROUP, /* [[threadgroup(slot)]]: pointer or reference to threadgroup; length set
                            at dispatch */
    MF_BIND_TEXTURE,
    MF_BIND_SAMPLER,
    MF_BIND_INPUT /* `input` says which; type uint or ushort, scalar or vector of 2 or 3 */
} mf_binding;

/* What a texture parameter takes. */
typedef enum mf_texture_shape {
    MF_TEXTURE_1D,
    MF_TEXTURE_1D_ARRAY,
    MF_TEXTURE_2D,
    MF_TEXTURE_2D_ARRAY,
    MF_TEXTURE_3D,
    MF_TEXTURE_CUBE,
    MF_TEXTURE_CUBE_ARRAY,
    MF_TEXTURE_2D_MS,
    MF_TEXTURE_2D_MS_ARRAY,
    MF_TEXTURE_OF_BUFFER
} mf_texture_shape;
typedef struct mf_texture {
    mf_texture_shape shape;
    mf_scalar scalar;    /* what its pixels are read as */
    bool reads, writes;
    uint32_t count;      /* of an array its length, else 1; of samplers too */
} mf_texture;

struct mf_var {
    mf_var_kind kind;
    str name;            /* empty for an unnamed parameter */
    span at;             /* of the name */
    const mf_type *type; /* REFERENCE for references */
    mf_space space; /* where the variable itself lies: of a reference or pointer variable, thread */
    uint8_t quals;
    uint32_t align; /* written with it, in bytes; 0: what its type asks for */
    mf_expr *init;  /* value of `type` (a place for a reference), or NULL: indeterminate */
    uint32_t index; /* parameters: position. Locals: number within the function. Globals: within the
                       unit */
    mf_binding binding;
    uint32_t slot; /* of a function constant: its index. BUFFER, THREADGROUP, TEXTURE, SAMPLER: as written, or the next free one where
                      none is */
    mf_input input;
    mf_texture texture; /* TEXTURE, SAMPLER */
    bool is_static;     /* of the library alone: one a thread, all zero when the kernel begins */
    bool is_absent;     /* a kernel's parameter whose [[function_constant(name)]] is false: nothing is bound, and nothing may use it */
    bool is_function_constant; /* [[function_constant(slot)]]: */
    bool is_given;             /* ... its value was given, and is `value` and `init`; else `init` is zero and
                                  nothing that reads it may run */
    bool has_value; /* a const or constexpr scalar whose initialiser folded to `value` */
    mf_constant value;
};

/* Where a variable may begin: a multiple of this. */
static inline uint32_t mf_var_align(const mf_var *v)
{
    return v->align > v->type->align ? v->align : v->type->align;
}

struct mf_function {
    str name;  /* as declared, without namespaces; of kernels what [[host_name("...")]] says, if it
                  is there; unique  among kernels */
    str label; /* for messages: with namespaces */
    span at;   /* of the name */
    bool kernel;
    bool of_library; /* stands in the library's own texts */
    bool is_constexpr;
    bool recurs; /* it calls itself, each time as the last thing that it does there: a statement by itself, or what it returns */
    const mf_type *result; /* REFERENCE for a reference result */
    mf_var **params;
    size_t param_count;
    mf_var **locals; /* every local of every scope, in order of declaration */
    size_t local_count;
    mf_stmt *body; /* BLOCK; a function without a body that is called is an error, one not called is
                      left out */
    uint32_t index;             /* within the unit's functions */
    uint32_t max_threads;       /* [[max_total_threads_per_threadgroup(n)]], or 0 */
    uint64_t threadgroup_bytes; /* kernels: of its own threadgroup variables, each aligned, in order
                                   of declaration */
};

/* A function that is not void may reach its end without a return (there is a warning then): the
 * value is undefined. What a text holds. Functions come callees first: there is no recursion in
 * MSL. */
typedef struct mf_unit {
    mf_function **functions; /* all with bodies, kernels included */
    size_t function_count;
    mf_function **kernels; /* in order of declaration */
    size_t kernel_count;
    mf_var **globals;
    size_t global_count;
    mf_types types;
} mf_unit;

typedef struct mf_define {
    str name, value;
} mf_define;

enum { MF_VERSION = 320 }; /* the language version where none is asked for: MSL 3.2 */

/* The value of a function constant, by name, or by index where the name is empty. */
typedef struct mf_given {
    str name;
    uint32_t index;
    bool is_float; /* `value.f` counts, else `value.i`; it is converted to the constant's type */
    mf_constant value;
} mf_given;

/* Finds a header that is none of Metal's. `from` is the name of the file that asks, `angled` tells
 * <name> from "name". True with its name for messages, by which it is also known to "#pragma once",
 * and its text, both of which must outlive the parse. */
typedef bool (*mf_include_fn)(void *user, str name, str from, bool angled, str *path, str *text);

/* Zero is a valid default. */
typedef struct mf_options {
    mf_include_fn include; /* NULL: there are no headers but Metal's */
    void *include_user;
    uint32_t version; /* __METAL_VERSION__, e.g. 310 for MSL 3.1; 0 means MF_VERSION */
    const mf_define *defines;
    size_t define_count;
    const mf_given *constants;
    size_t constant_count;
    bool constants_come_later; /* those without a value may still be given one: whether they have one is not known */
} mf_options;

/* Reads a text to its tree. NULL, with at least one error in `diags`, when it is not valid or uses
 * what is not supported; warnings may be added in any case. Runs under the arena's guard;
 * everything made lies in `mem`, and the text must live as long. `sources` may grow (macro texts
 * are given as files of their own). */
mf_unit *mf_parse(arena *mem, source_set *sources, uint32_t file, const mf_options *options,
                  diag_list *diags);

/* The kernel of that name, or NULL. */
mf_function *mf_unit_kernel(const mf_unit *u, str name);

/* Whether the statement is a call of `f` or returns one, without another one in its arguments. */
bool mf_is_self_call(const mf_stmt *s, const mf_function *f);

/* The value of a constant expression; false where it is none. */
bool mf_fold(const mf_expr *e, mf_constant *out);

/* The tree as text, one line a statement, every conversion shown: for tests and for reading. */
void mf_dump(const mf_unit *u, buf *out);

#endif
