/* The tensor IR (TIR): immutable nodes made from nodes.def, variables and buffers as identities. */
#ifndef IR_IR_H
#define IR_IR_H

#include <assert.h>

#include "base/arena.h"
#include "base/source.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/type.h"

/* ---- Enumerations, from their tables -------------------------------------------------------- */

typedef enum ir_kind {
#define IR_NODE(KIND, name, category, fields) IR_##KIND,
#include "ir/nodes.def"
#undef IR_NODE
} ir_kind;

typedef enum ir_op {
#define IR_OP(NAME, script, prec, result, flags) IR_##NAME,
#include "ir/ops.def"
#undef IR_OP
} ir_op;

enum { IR_COMMUTES = 1, IR_LAZY = 2 };
enum { IR_RESULT_SAME, IR_RESULT_TRUTH };

typedef struct ir_op_info {
    const char *script;
    int precedence, result, flags;
} ir_op_info;

extern const ir_op_info ir_ops[];

typedef enum ir_builtin {
#define IR_BUILTIN(ID, name, least, most, rule, effect, msl) IR_FN_##ID,
#include "ir/builtins.def"
#undef IR_BUILTIN
    IR_FN_COUNT
} ir_builtin;

typedef enum ir_rule { IR_RULE_FLOAT, IR_RULE_SAME, IR_RULE_BOOL, IR_RULE_I32, IR_RULE_GIVEN, IR_RULE_VOID } ir_rule;
typedef enum ir_effect { IR_EFFECT_PURE, IR_EFFECT_READS, IR_EFFECT_EFFECT } ir_effect;

typedef struct ir_builtin_info {
    const char *name;
    unsigned least, most;
    ir_rule rule;
    ir_effect effect;
    const char *msl;
} ir_builtin_info;

extern const ir_builtin_info ir_builtins[];

static inline bool ir_is_atomic(ir_builtin fn)
{
    return fn >= IR_FN_ATOMIC_LOAD && fn <= IR_FN_ATOMIC_CAS;
}

/* The builtin named `name` (without "T."), or IR_FN_COUNT. */
ir_builtin ir_builtin_find(str name);

typedef enum ir_scope {
#define IR_SCOPE(NAME, text, what) IR_SCOPE_##NAME,
#include "ir/scopes.def"
#undef IR_SCOPE
    IR_SCOPE_COUNT
} ir_scope;

const char *ir_scope_text(ir_scope scope);
/* False where `text` is no scope of Ingot's. "" means global. */
bool ir_scope_parse(str text, ir_scope *out);

typedef enum ir_for_kind { IR_SERIAL, IR_PARALLEL, IR_VECTORIZED, IR_UNROLLED, IR_THREAD_BOUND } ir_for_kind;
typedef enum ir_iter_kind { IR_SPATIAL, IR_REDUCE, IR_SCAN, IR_OPAQUE } ir_iter_kind;

/* ---- Nodes ---------------------------------------------------------------------------------- */

typedef struct ir_node {
    ir_kind kind;
    ir_type type; /* void for statements */
    span at;
} ir_node;

typedef struct ir_list {
    const ir_node *const *at;
    size_t n;
} ir_list;

/* A variable: an identity, compared by pointer. A pointer variable says what it points to. */
typedef struct ir_var {
    str name;
    ir_type type;
    ir_type pointee;    /* of a pointer; void where unknown */
    ir_scope scope;     /* of a pointer */
    bool natural;       /* a dimension or the count of a loop, passed to a kernel: never negative (bound.h) */
    span at;
} ir_var;

/* A buffer: an identity. Shape and strides in elements; no strides = row-major. */
typedef struct ir_buffer {
    str name;
    const ir_var *data; /* the pointer to its memory; several buffers may share one */
    ir_type type;
    ir_list shape, strides;
    const ir_node *elem_offset; /* NULL = 0 */
    int64_t offset_factor;      /* elem_offset is a multiple of this; 0 = not said */
    int64_t align;              /* bytes; 0 = not said */
    ir_scope scope;
    span at;
} ir_buffer;

typedef struct ir_vars {
    const ir_var *const *at;
    size_t n;
} ir_vars;

typedef struct ir_buffers {
    const ir_buffer *const *at;
    size_t n;
} ir_buffers;

typedef struct ir_iter {
    const ir_var *var;
    ir_iter_kind kind;
    const ir_node *min, *extent;
    const ir_node *binding; /* its value in terms of the surrounding loops */
    span at;
} ir_iter;

typedef struct ir_range {
    const ir_node *min, *extent;
} ir_range;

typedef struct ir_region {
    const ir_buffer *buffer;
    const ir_range *ranges; /* one a dimension */
    size_t n;
    span at;
} ir_region;

typedef struct ir_match {
    const ir_buffer *buffer; /* defined: a view of ... */
    ir_region source;        /* ... this region */
} ir_match;

typedef struct ir_attr_entry {
    str key;
    const ir_node *value;
} ir_attr_entry;

typedef struct ir_iters {
    const ir_iter *at;
    size_t n;
} ir_iters;
typedef struct ir_regions {
    const ir_region *at;
    size_t n;
} ir_regions;
typedef struct ir_matches {
    const ir_match *at;
    size_t n;
} ir_matches;
typedef struct ir_attrs {
    const ir_attr_entry *at;
    size_t n;
} ir_attrs;

#define F_EXPR(f) const ir_node *f;
#define F_OPT_EXPR(f) const ir_node *f;
#define F_EXPRS(f) ir_list f;
#define F_STMT(f) const ir_node *f;
#define F_OPT_STMT(f) const ir_node *f;
#define F_STMTS(f) ir_list f;
#define F_VAR(f) const ir_var *f;
#define F_DEF(f) const ir_var *f;
#define F_DEFS(f) ir_vars f;
#define F_BUF(f) const ir_buffer *f;
#define F_BUFDEF(f) const ir_buffer *f;
#define F_BUFDEFS(f) ir_buffers f;
#define F_ITERS(f) ir_iters f;
#define F_REGIONS(f) ir_regions f;
#define F_MATCHES(f) ir_matches f;
#define F_ATTRS(f) ir_attrs f;
#define F_PLAIN(T, f) T f;
#define F_TEXT(f) str f;
#define IR_NODE(KIND, name, category, fields)                                                      \
    typedef struct ir_##name {                                                                     \
        ir_node node;                                                                              \
        fields                                                                                     \
    } ir_##name;
#include "ir/nodes.def"
#undef IR_NODE
#include "ir/fields_undef.h"

/* const ir_for *ir_as_for(n): n must be of that kind. The only casts from ir_node in the tree. */
#define IR_NODE(KIND, name, category, fields)                                                      \
    static inline const ir_##name *ir_as_##name(const ir_node *n)                                  \
    {                                                                                              \
        assert(n->kind == IR_##KIND);                                                              \
        return (const ir_##name *)(const void *)n;                                                 \
    }
#include "ir/nodes.def"
#undef IR_NODE

/* A node with the named fields: ir_make(mem, WHILE, while, at, IR_VOID, .cond = c, .body = b). */
#define ir_make(mem, KIND, name, where, ty, ...)                                                   \
    ((const ir_node *)arena_copy((mem),                                                            \
                                 &(const ir_##name){.node = {.kind = IR_##KIND, .type = (ty), .at = (where)}, \
                                                    __VA_ARGS__},                                  \
                                 sizeof(ir_##name)))

/* ---- Functions and modules ------------------------------------------------------------------ */

typedef struct ir_param {
    const ir_var *var;       /* the scalar, or the handle of a buffer parameter (named as written) */
    const ir_buffer *buffer; /* NULL for a scalar or a raw pointer */
} ir_param;

typedef enum ir_func_kind {
    IR_FUNC_WHOLE, /* as written: host and device code together */
    IR_FUNC_HOST,  /* after the split: launches kernels by call_packed */
    IR_FUNC_KERNEL /* after the split: body of one kernel; launch_tags says how it is launched */
} ir_func_kind;

typedef struct ir_func {
    str name; /* global_symbol, else the name in the class */
    ir_func_kind kind;
    bool is_private;
    const ir_param *params;
    size_t param_count;
    ir_type result; /* void: none */
    ir_attrs attrs;
    const ir_node *body;
    /* Kernels: thread tags in launch order ("blockIdx.x", ...), each extent as an int constant or an
     * expression over the parameters of the host function that launches it. */
    const str *launch_tags;
    size_t launch_tag_count;
    const ir_node *dyn_shared_bytes; /* NULL: none */
    span at;
} ir_func;

/* What the passes have established; verify.c checks each. */
typedef enum ir_property {
    IR_UNIT_LOOPS = 1 << 0,      /* loops start at 0, as long as there are blocks */
    IR_NO_INIT = 1 << 1,         /* no block has an init */
    IR_OPAQUE_BLOCKS = 1 << 2,   /* no block has iters */
    IR_NO_MATCH = 1 << 3,        /* no match_buffer */
    IR_ONE_THREAD_VAR = 1 << 4,  /* THREAD statements outermost, one variable an axis */
    IR_NO_BLOCKS = 1 << 5,
    IR_FLAT_BUFFERS = 1 << 6,    /* one dimension, no strides, no elem_offset */
    IR_NO_VECTOR_LOOPS = 1 << 7,
    IR_NO_VTHREAD = 1 << 8,
    IR_NO_UNROLL = 1 << 9,
    IR_SAFE_SELECT = 1 << 10,    /* no select arm touches memory */
    IR_SYNCED = 1 << 11,
    IR_NO_ALLREDUCE = 1 << 12,
    IR_SPLIT = 1 << 13,          /* functions are HOST or KERNEL */
    IR_MSL_READY = 1 << 14
} ir_property;

typedef struct ir_module {
    const ir_func *const *funcs; /* in order of appearance; kernels follow the function they came from */
    size_t func_count;
    unsigned properties; /* ir_property bits */
    ir_attrs attrs;
} ir_module;

const ir_node *ir_attrs_get(ir_attrs attrs, const char *key); /* NULL where absent */

/* ---- Makers: typed, folding nothing ---------------------------------------------------------- */

VEC_DECLARE(ir_node_vec, const ir_node *)
VEC_DECLARE(ir_var_vec, const ir_var *)
VEC_DECLARE(ir_buffer_vec, const ir_buffer *)

static inline ir_list ir_list_of(ir_node_vec v)
{
    return (ir_list){(const ir_node *const *)v.at, v.n};
}
/* A copied list of `n` nodes. */
ir_list ir_list_copy(arena *mem, const ir_node *const *at, size_t n);
ir_list ir_list_one(arena *mem, const ir_node *n);

const ir_var *ir_var_new(arena *mem, str name, ir_type type, span at);
/* A pointer variable. */
const ir_var *ir_var_pointer(arena *mem, str name, ir_type pointee, ir_scope scope, span at);

/* An integer or bool constant, wrapped to its type; a vector type gives a broadcast. */
const ir_node *ir_int_new(arena *mem, ir_type type, int64_t value, span at);
/* A float constant, rounded to its type; a vector type gives a broadcast. */
const ir_node *ir_float_new(arena *mem, ir_type type, double value, span at);
const ir_node *ir_string_new(arena *mem, str text, span at);
const ir_node *ir_ref(arena *mem, const ir_var *var, span at);
/* Operands must have one type already (see ir_bin_unify in fold.h for the language's promotions). */
const ir_node *ir_bin_new(arena *mem, ir_op op, const ir_node *a, const ir_node *b);
const ir_node *ir_not_new(arena *mem, const ir_node *a);
/* The node itself where the type is the same already. */
const ir_node *ir_cast_new(arena *mem, ir_type type, const ir_node *a);
const ir_node *ir_broadcast_new(arena *mem, const ir_node *a, uint32_t lanes);
/* Is it a function that says something about its only argument and gives that back? */
bool ir_builtin_is_hint(ir_builtin fn);

const ir_node *ir_load_new(arena *mem, const ir_buffer *b, ir_list index, span at);
const ir_node *ir_store_new(arena *mem, const ir_buffer *b, ir_list index, const ir_node *value, span at);
const ir_node *ir_call_new(arena *mem, ir_builtin fn, ir_type type, ir_list args, span at);
const ir_node *ir_eval_new(arena *mem, const ir_node *value);
/* A sequence; nested ones and empty ones are flattened, a single statement stays itself. */
const ir_node *ir_seq_new(arena *mem, const ir_node *const *at, size_t n, span where);
/* The statement that does nothing: an empty sequence. */
const ir_node *ir_nop(arena *mem);
bool ir_is_nop(const ir_node *n);

/* Is it this integer constant (or a broadcast of it)? */
bool ir_is_const(const ir_node *n, int64_t value);
/* An integer or bool constant into *value. */
bool ir_const_value(const ir_node *n, int64_t *value);
static inline bool ir_is_stmt(const ir_node *n)
{
    return n->kind >= IR_SEQ; /* nodes.def has the expressions first */
}

#endif
