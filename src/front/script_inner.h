/* What the files that turn syntax trees into IR share: the state, scopes, suites, and each other's
 * functions. */
#ifndef FRONT_SCRIPT_INNER_H
#define FRONT_SCRIPT_INNER_H

#include "base/map.h"
#include "front/script.h"
#include "front/value.h"

/* ---- Scopes ---------------------------------------------------------------------------------- */

typedef struct binding {
    value v;
    span at;
    size_t order;                /* counts all bindings of the script */
    const struct binding *older; /* the name's value before, in the same scope */
} binding;

typedef struct given_name {
    binding b;
    bool is_used;
} given_name;

typedef enum scope_kind { SCOPE_MODULE, SCOPE_PLAIN, SCOPE_FUNC, SCOPE_INNER } scope_kind;

typedef struct scope {
    struct scope *outer;
    scope_kind kind;
    map names; /* -> binding */
} scope;

/* ---- Statements being built --------------------------------------------------------------------
 */

/* A statement whose body is the rest of the suite: "bx = T.launch_thread(...)" on a line of its
 * own. */
typedef struct wrap {
    const ir_node *node; /* THREAD or ATTR with an empty body */
    const frame *inner;  /* of an ATTR: the next one of the same call */
    size_t start;
} wrap;
VEC_DECLARE(wrap_vec, wrap)

typedef struct suite {
    struct suite *outer;
    ir_node_vec body;
    wrap_vec wraps;
} suite;

VEC_DECLARE(iter_vec, ir_iter)
VEC_DECLARE(region_vec, ir_region)
VEC_DECLARE(match_vec, ir_match)
VEC_DECLARE(attr_vec, ir_attr_entry)
VEC_DECLARE(param_vec, ir_param)
VEC_DECLARE(str_vec, str)

/* A block being read. */
typedef struct block_state {
    struct block_state *outer;
    str name;
    span at;
    iter_vec iters;
    const ir_node *predicate; /* NULL: none */
    region_vec reads, writes;
    bool regions_given;
    ir_buffer_vec allocs;
    match_vec matches;
    attr_vec annotations;
    const ir_node *init;
} block_state;

/* A function being read. */
typedef struct func_state {
    const ast_def *def;
    str name;
    bool is_old, is_private, has_blocks;
    bool is_called; /* what is read is a function that it calls: `def` and the like are that one's */
    const struct script_global *called; /* that function */
    size_t called_first;                /* its symbols begin here */
    map called_dims;                    /* symbol -> the extent that a call gave it */
    ir_func_kind kind;
    param_vec params;
    attr_vec attrs;
    str_vec tags;
    const ir_node *dyn_shared_bytes;
    ir_type result;
    map assigned;       /* name -> how often it is assigned: see func_assigned_often */
    ir_var_vec symbols; /* variables that the signature must define */
    map let_vars;       /* variables that a T.Let gave a value */
    map loops;          /* loop variable -> loop_domain */
    block_state root;
    ir_node_vec thread_returns; /* RETURN nodes that end a thread, which must be below an axis */
    int loop_depth;
} func_state;

typedef struct loop_domain {
    const ir_node *min, *extent;
} loop_domain;

typedef struct hints {
    const str *at;
    size_t n;
} hints;

/* A function of the program that others can call. */
typedef struct script_global {
    const ast_def *def;
    value decorator;
    scope *scope; /* what it sees around it, up to `limit` */
    size_t limit;
    bool is_open;   /* its statements are being put in place */
    bool is_called; /* some function calls it */
} script_global;

typedef struct script {
    arena *mem;    /* `work` while a function is read, else `around` */
    arena *around; /* the file's syntax tree, and what stands around the functions */
    arena *work;   /* the function being read; the next one uses it again */
    size_t function; /* functions whose reading has begun */
    diag_list *diags;
    uint32_t file;
    const front_options *options;
    map given; /* name -> given_name: the definitions, which go before what surrounds the functions
                */
    scope *scope;
    suite *suite;       /* NULL outside of a function's body */
    block_state *block; /* innermost; the root block where there is no other */
    func_state *func;
    hints hints; /* names that the statement gives to what its call makes */
    size_t order,
        limit; /* bindings made; those of module and plain scopes beyond `limit` are not seen */
    int depth, muted;
    size_t nested;     /* levels of statements that are open */
    str complaint;     /* the first error while muted */
    const ast *whole;  /* what is the whole value of the binding, or the statement, being read */
    unsigned lazy;     /* around: expressions that may not be evaluated, or more than once */
    uint64_t steps;    /* evaluations so far */
    map globals;       /* path, "Module.name" -> script_global */
    map rows[SPACE_FOREIGN + 1]; /* by space: name -> name_row, as looked up so far */
    bool in_signature; /* quoted names in shapes define variables */
} script;

/* ---- Frames: what `for` and `with` take ---------------------------------------------------------
 */

typedef enum frame_kind {
    FRAME_LOOPS,
    FRAME_BLOCK,
    FRAME_INIT,
    FRAME_THREAD,
    FRAME_ATTR,
    FRAME_DONE
} frame_kind;

typedef struct loop_spec {
    ir_for_kind kind;
    const ir_node *min, *extent;
    int64_t step;
    str tag;
    ir_attrs annotations;
} loop_spec;

struct frame {
    frame_kind kind;
    span at;
    const loop_spec *loops;
    size_t loop_count;
    bool is_grid;
    str name;            /* of a block */
    const ir_node *node; /* THREAD or ATTR with an empty body */
    const frame *inner;  /* of an ATTR: the next one of the same call */
    value as;            /* what `as` names */
};

struct env_thread {
    str name, tag;
    const ir_var *var; /* of its last launch, in ... */
    size_t function;   /* ... that function: see script_thread_var */
};

struct closure {
    const ast *node; /* LAMBDA or DEF */
    scope *scope;
    bool is_inline;  /* T.inline, T.macro: its statements are put in place */
    bool is_dynamic; /* a macro that is not hygienic */
};

/* T.Buffer(...) and the like before it has a name. */
struct buffer_spec {
    span at;
    bool is_let, is_local; /* T.let; T.float32[4] */
    bool has_type;         /* of T.let: a type is given */
    ir_type type;
    ir_type pointee;
    ir_scope scope;
    value shape, strides, elem_offset, byte_offset, data;
    span shape_at;
    int64_t align, offset_factor;
};

/* ---- Calls ----------------------------------------------------------------------------------- */

typedef struct call {
    const name_row *row;
    value receiver; /* of a method */
    span at;
    const value *args; /* in the order of the row's parameters; ABSENT where not given */
    const span *spans;
    const value *rest; /* what a "*" parameter collects */
    const span *rest_spans;
    size_t rest_count;
    hints hints; /* names that the statement gives */
    bool is_old;   /* called through the older `tir` */
    bool is_whole; /* the call is the whole value of a binding, or a statement */
} call;

typedef value (*script_fn)(script *s, const call *c);

/* One name of a table: see names.def. */
struct name_row {
    space space;
    const char *name;
    script_fn fn;       /* NULL: a sub-space or a constant */
    const char *params; /* "a b? *c": required, optional, all further ones */
    int info;           /* handlers that serve several names tell them apart by it */
};

/* What `info` says in names.def. */
enum { DECORATOR_MODULE, DECORATOR_FUNC, DECORATOR_INLINE };
enum { ALLOC_STATEMENT, ALLOC_BLOCK, ALLOC_SHARED, ALLOC_LOCAL };
enum { LIMIT_MIN, LIMIT_MAX, LIMIT_INFINITY };
enum {
    MATH_SQRT, MATH_EXP, MATH_LOG, MATH_LOG2, MATH_LOG10, MATH_POW, MATH_FABS, MATH_SIN, MATH_COS, MATH_TANH, MATH_FLOOR, MATH_CEIL
};

#define SCRIPT_HANDLER(handler) value handler(script *s, const call *c);
#include "front/handlers.def"
#undef SCRIPT_HANDLER

/* ---- script_context.c: errors, scopes, suites
 * ------------------------------------------------------ */

/* Reports (unless muted) and gives POISON. */
value script_error(script *s, span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Explains the error just reported. */
void script_note(script *s, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));

void scope_push(script *s, scope_kind kind, scope *inner);
void scope_pop(script *s);
/* Names `v` in the innermost scope. */
void scope_bind(script *s, str name, value v, span at);
/* The binding seen from the innermost scope, or NULL; *inside tells whether it is of the function
 * being read. */
const binding *scope_find(script *s, str name, bool *inside);
/* The binding in the innermost scope itself. */
const binding *scope_find_here(script *s, str name);

void suite_begin(script *s, suite *inner);
/* The statements, wrapped as far as lines asked for it. */
const ir_node *suite_end(script *s, span at);
void suite_emit(script *s, const ir_node *n);
void suite_wrap(script *s, const ir_node *node);
/* A THREAD or ATTR node with that body. */
const ir_node *script_with_body(script *s, const ir_node *node, const ir_node *body);

/* False where recursion goes too deep, which is reported; else pair with script_leave. */
bool script_enter(script *s, span at);
void script_leave(script *s);

/* Counts `n` further levels of statements within statements; false where they are too many, which
 * is reported. Pair with script_unnest in both cases. */
bool script_nest(script *s, size_t n, span at);
void script_unnest(script *s, size_t n);

/* The name that the statement gives, or `other`. */
str call_hint(const call *c, const char *other);

/* ---- script_eval.c: expressions ----------------------------------------------------------------
 */

value eval(script *s, const ast *n);
/* As eval, for the right side of an assignment to those names. */
value eval_named(script *s, const ast *n, hints names);
/* A name's value as an expression sees it. */
value eval_name(script *s, str name, span at);
value eval_attribute(script *s, value object, str name, span at);
/* An IR expression of any type; NULL where there is none, which is reported. */
const ir_node *eval_expr(script *s, const ast *n);
/* Runs visit for each combination that the clauses of a comprehension give. */
value eval_comprehension(script *s, const ast_comprehension *n);
value eval_format(script *s, const ast_format *n);

/* ---- script_convert.c: values to IR
 * --------------------------------------------------------------- */

/* The expression that a value stands for: literals take int32, float32, bool. NULL: none, reported.
 */
const ir_node *to_expr(script *s, value v, span at);
/* Python literals take `type` where they can (reported where they do not fit); others are
 * converted. */
const ir_node *to_type(script *s, value v, ir_type type, span at);
/* An integer expression. */
const ir_node *to_index(script *s, value v, span at);
/* A condition: bool, any lanes. */
const ir_node *to_bool(script *s, value v, span at);
/* An int known at this point within [least, most]; false: reported. */
bool to_int(script *s, value v, int64_t least, int64_t most, span at, const char *what,
            int64_t *out);
bool to_str(script *s, value v, span at, const char *what, str *out);
/* A type from T.float32 or "float32". */
bool to_dtype(script *s, value v, span at, ir_type *out);
bool to_scope(script *s, value v, span at, ir_scope *out);
bool to_tag(script *s, value v, span at, str *out);
/* The variable of the axis launched last in the function being read; NULL, reported, before one. */
const ir_var *script_thread_var(script *s, const env_thread *t, span at);
/* A literal of exactly that type, checked against its range. */
const ir_node *literal_of(script *s, value v, ir_type type, span at);
/* The two operands brought to one type; literals adapt. `compare`: by the rule of comparisons. */
bool to_common(script *s, value a, value b, bool compare, span at, const ir_node **x,
               const ir_node **y);
/* What a pointer expression points to. */
void pointer_target(value v, ir_type *pointee, ir_scope *place);
/* stop - start, undoing start + extent. */
const ir_node *range_extent(script *s, const ir_node *start, const ir_node *stop);
/* A dict of strings to constants, for annotations. */
bool to_attrs(script *s, value v, span at, attr_vec *out);
/* A value as the constant of an attribute: bools, numbers, strings, expressions, lists of them. */
const ir_node *to_attr_value(script *s, value v, span at);

/* ---- script_ops.c: operators
 * ---------------------------------------------------------------------- */

value op_binary(script *s, token_kind op, value a, value b, span at);
value op_unary(script *s, token_kind op, value a, span at);
value op_compare(script *s, compare_op op, value a, value b, span at);
value op_logic(script *s, token_kind op, value a, value b, span at);
/* The IR operator of T.min, T.floordiv ... on two values. */
value op_ir(script *s, ir_op op, value a, value b, span at);
/* What +=, -= ... do: the operator without its "=". */
token_kind op_of_augmented(token_kind kind);

/* ---- script_call.c: names and calls
 * ---------------------------------------------------------------- */

/* The row of a name in a space; NULL where there is none. */
const name_row *name_find(script *s, space where, str name);
value eval_call(script *s, const ast_call *n, hints names);
/* A closure with these values for its parameters. */
value call_closure(script *s, const closure *f, value_list args, span at);

/* ---- script_inline.c: calls between functions ----------------------------------------------------
 */

/* Puts the function's statements in place; the value that it returns. */
value script_call_global(script *s, script_global *g, const value *args, const span *spans, size_t count, span at);
/* T.match_buffer of an argument for a handle. */
value script_match_handle(script *s, const call *c, buffer_spec *spec);

/* ---- script_math.c: Python's module math ---------------------------------------------------------
 */

/* math.pi and the like. */
bool math_constant(str name, double *out);

/* ---- script_atomic.c: operations that happen at a moment ---------------------------------------
 */

/* An atomic operation bound to a variable by a statement of its own; any other expression as it is. */
const ir_node *script_settle(script *s, const ir_node *n);
/* T.call_intrin of an atomic operation, whose arguments begin at `first`. */
value atomic_intrin(script *s, const call *c, const name_row *row, size_t first);

/* ---- script_buffer.c: buffers ------------------------------------------------------------------
 */

/* A new buffer with memory of its own: `spec` made real. NULL: reported. */
const ir_buffer *buffer_make(script *s, const buffer_spec *spec, str name, const ir_var *data);
/* A buffer of one element in the scope "local" for a mutable variable. */
const ir_buffer *buffer_scalar(script *s, str name, ir_type type, ir_scope scope, span at);
value eval_subscript(script *s, const ast_subscript *n);
/* The load that a region stands for. */
const ir_node *region_load(script *s, const region *r, span at);
/* A region from a region, an element or a whole buffer. */
bool to_region(script *s, value v, span at, ir_region *out);
void buffer_store(script *s, const ast_subscript *target, value v, span at);
/* b[0] of a mutable variable. */
const ir_node *scalar_load(script *s, const ir_buffer *b, span at);
void scalar_store(script *s, const ir_buffer *b, value v, span at);
bool spec_from_call(script *s, const call *c, buffer_spec *out);
value shape_of(script *s, ir_list list);
/* A DECL of a view with spec->data; the call's hint names it. */
value buffer_declare(script *s, const call *c, buffer_spec *spec);
/* Makes the variables of the quoted names in the shape of a parameter's annotation, which may use them unquoted as well. */
void buffer_define_quoted(script *s, const ast *annotation);
/* The type of the scalar parameter of that name, also where it comes later in the signature; else `otherwise`. */
ir_type script_symbol_type(script *s, str name, ir_type otherwise);
/* The variable that TypeVar(name) is in the function being read. */
value script_type_var(script *s, str name, span at);
/* Index list of vload and vstore, of a subscript's evaluated items. */
bool buffer_index(script *s, const ir_buffer *b, value items, span at, ir_list *out);

/* ---- script_stmt.c ...
 * ------------------------------------------------------------------------------ */

void exec_list(script *s, ast_list list);
/* Runs the statements in a scope and suite of their own. */
const ir_node *exec_body(script *s, ast_list list, span at);
void exec_assign(script *s, const ast_assign *n);
void exec_augmented(script *s, const ast_augmented *n);
void exec_annotated(script *s, const ast_annotated *n);
void exec_for(script *s, const ast_for *n);
void exec_with(script *s, const ast_with *n);
/* Binds a name, or names in brackets, to a value that needs no statement. */
void bind_target(script *s, const ast *target, value v);
/* Opens a frame on a line of its own: the rest of the suite is inside. */
value frame_open(script *s, const frame *f, span at);
/* Is the name assigned more than once in the function being read? */
bool func_assigned_often(script *s, str name);
/* How a function is written: by the older names, and with blocks. */
void script_look_at(const ast_def *def, value decorator, bool *is_old, bool *has_blocks);
/* Reads one function. NULL: reported. */
const ir_func *read_func(script *s, const ast_def *def, value decorator, bool in_class);
/* The name space rows of a decorator: T.prim_func, I.ir_module ...; NULL where it is none of them.
 */
const name_row *decorator_of(script *s, ast_list decorators, value *fn);

#endif
