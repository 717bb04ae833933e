/* What the parser's files share: its state, scopes, and what each file offers the others. */
#ifndef MSLFRONT_PARSER_H
#define MSLFRONT_PARSER_H

#include "base/map.h"
#include "base/vec.h"
#include "mslfront/lex.h"
#include "mslfront/tree.h"

enum { MF_PARSE_DEPTH = 256 }; /* brackets, unary operators and declarators within each other */

/* A type with the qualifiers and the address space of what has it. */
typedef struct mf_qtype {
    const mf_type *type;
    mf_space space;
    uint8_t quals;
} mf_qtype;

/* Scopes and symbols */

typedef struct mf_scope mf_scope;
typedef struct mf_symbol mf_symbol;
typedef struct mf_candidate mf_candidate;

typedef enum mf_symbol_kind {
    MF_SYM_VAR,
    MF_SYM_TYPE,
    MF_SYM_FUNCTION, /* an overload set */
    MF_SYM_ENUMERATOR,
    MF_SYM_NAMESPACE,
    MF_SYM_LIBRARY /* "using metal::name" */
} mf_symbol_kind;

struct mf_symbol {
    mf_symbol_kind kind;
    mf_ident *name;
    span at;
    mf_symbol *next; /* of its scope */
    mf_var *var;
    mf_qtype type; /* TYPE; ENUMERATOR */
    mf_candidate *functions;
    int64_t value;   /* ENUMERATOR */
    mf_scope *names; /* NAMESPACE; TYPE of a scoped or unscoped enumeration: its items */
};

typedef enum mf_scope_kind {
    MF_SCOPE_GLOBAL,
    MF_SCOPE_NAMESPACE,
    MF_SCOPE_RECORD,
    MF_SCOPE_BLOCK
} mf_scope_kind;

struct mf_scope {
    mf_scope_kind kind;
    mf_scope *parent;
    str label;      /* of a namespace, with the outer ones and a last "::" */
    bool is_metal;  /* it is, or was made to see, the library's namespace */
    bool is_params; /* a function's parameters: the body's outermost block may not declare their
                       names again */
    mf_symbol *first, *last;
    size_t n;
    map index; /* by identifier; only built for scopes of more than a few names */
    mf_scope **used;
    size_t used_count;
};

/* One user function: a signature, perhaps with a body. */
struct mf_candidate {
    mf_function *function;
    mf_candidate *next; /* of the overload set */
    mf_expr **defaults; /* a parameter each, NULL where none */
    size_t required;    /* parameters without a default */
    mf_candidate **callees;
    size_t callee_count, callee_cap;
    span called_at; /* of a first call, for the complaint about a missing body */
    enum { MF_NOT_VISITED, MF_ON_PATH, MF_VISITED } visit;
};

VEC_DECLARE(mf_candidates, mf_candidate *)
VEC_DECLARE(mf_vars, mf_var *)
VEC_DECLARE(mf_functions, mf_function *)
VEC_DECLARE(mf_exprs, mf_expr *)
VEC_DECLARE(mf_stmts, mf_stmt *)
VEC_DECLARE(mf_fields, mf_field)

typedef struct mf_parser {
    arena *mem;
    source_set *sources;
    diag_list *diags;
    mf_idents *idents;
    mf_types types;
    const mf_token *tokens; /* ends with MF_TOK_END */
    size_t token_count, at;
    mf_scope *global, *scope;
    mf_candidates candidates; /* every function, in order of first declaration */
    mf_functions kernels;
    mf_vars globals;
    mf_candidate *function; /* whose body is being read, or NULL */
    mf_vars locals;
    bool panic; /* a syntax error was reported; nothing more is, until the parser has recovered */
    bool no_greater; /* in template arguments: ">" closes them */
    unsigned depth, stmt_depth;
    unsigned loops, switches;
    unsigned errors_before; /* of this text: complaints the list already held */
} mf_parser;

/* cursor.c: the tokens */

static inline const mf_token *mf_cur(const mf_parser *p)
{
    return &p->tokens[p->at];
}
static inline bool mf_at(const mf_parser *p, mf_token_kind k)
{
    return p->tokens[p->at].kind == k;
}
const mf_token *mf_ahead(const mf_parser *p, size_t n);
void mf_advance(mf_parser *p);
bool mf_accept(mf_parser *p, mf_token_kind k);
/* Takes the token, or reports "expected ';' after <where>". */
bool mf_expect(mf_parser *p, mf_token_kind k, const char *where);
/* The span of the token before the cursor. */
span mf_last(const mf_parser *p);
/* From `begin` to the last token taken. */
span mf_since(const mf_parser *p, span begin);
/* Reports, unless in panic already, and begins the panic. */
void mf_syntax(mf_parser *p, span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Ends a panic: passes over what is left of the statement or declaration. */
void mf_recover(mf_parser *p);
/* Counts nesting; false, after a complaint, when it is too deep. Every true is undone by mf_leave.
 */
bool mf_enter(mf_parser *p);
void mf_leave(mf_parser *p);
/* Whether tokens n and n+1 from the cursor stand together without space. */
bool mf_glued(const mf_parser *p, size_t n);

/* scope.c */

/* What a name means where the cursor stands; see mf_resolve. */
typedef struct mf_ref {
    mf_ident *id;
    span at;
    mf_symbol *symbol;   /* of the user's, or NULL */
    int builtin;         /* first row of the library's function, visible here, or -1 */
    const mf_type *type; /* of the language or the library, or an enumeration constant's */
    bool is_constant;    /* a library enumeration's item: `type`, `value` */
    int64_t value;
    mf_math math;
    bool library;         /* looked for in the library: its templates may be meant */
    bool qualified;       /* written with "::" */
    bool hidden_by_metal; /* not found, but namespace metal has it */
} mf_ref;

mf_scope *mf_push_scope(mf_parser *p, mf_scope_kind kind);
void mf_pop_scope(mf_parser *p);
mf_symbol *mf_find(const mf_scope *s, const mf_ident *id);
mf_symbol *mf_add_symbol(mf_parser *p, mf_scope *s, mf_symbol_kind kind, mf_ident *id, span at);
/* Declares, reporting a name that this scope already has; NULL then. */
mf_symbol *mf_declare(mf_parser *p, mf_symbol_kind kind, mf_ident *id, span at);
/* Reads [::] name (:: name)* and says what it means. Reports only what is wrong before the last
 * name. */
mf_ref mf_resolve(mf_parser *p);
/* The meaning without moving the cursor or reporting. */
mf_ref mf_peek_name(mf_parser *p);
/* Reports an unknown name, with a hint where there is one. */
void mf_unknown_name(mf_parser *p, const mf_ref *r);

/* expr.c: making nodes; an operand of MF_EXPR_ERROR gives MF_EXPR_ERROR, silently */

mf_expr *mf_new(mf_parser *p, mf_expr_kind kind, span at, const mf_type *type);
mf_expr *mf_error(mf_parser *p, span at);
mf_expr *mf_int(mf_parser *p, span at, const mf_type *type, int64_t v);
mf_expr *mf_make_constant(mf_parser *p, span at, mf_scalar s, mf_constant c);
/* Sets depth from the operands; reports and gives an error node when too deep. */
mf_expr *mf_finish(mf_parser *p, mf_expr *e);
bool mf_bad(const mf_expr *e);
/* A place turned into its value: LOAD, DECAY. */
mf_expr *mf_value(mf_parser *p, mf_expr *e);
/* A place for a value: TEMPORARY, unless it is one. */
mf_expr *mf_materialize(mf_parser *p, mf_expr *e);
mf_expr *mf_make_var(mf_parser *p, mf_var *v, span at);
mf_expr *mf_make_place(mf_parser *p, mf_expr_kind kind, span at, mf_qtype q);
mf_expr *mf_make_deref(mf_parser *p, mf_expr *a, span at);
mf_expr *mf_make_address(mf_parser *p, mf_expr *a, span at);
mf_expr *mf_make_unary(mf_parser *p, mf_expr_kind kind, mf_expr *a, span at);
mf_expr *mf_make_step(mf_parser *p, mf_expr_kind kind, mf_expr *a, span at);
mf_expr *mf_make_index(mf_parser *p, mf_expr *a, mf_expr *b, span at);
mf_expr *mf_make_member(mf_parser *p, mf_expr *a, mf_ident *name, span name_at);
mf_expr *mf_make_cond(mf_parser *p, mf_expr *a, mf_expr *b, mf_expr *c);
/* Whether the place can be written; reports why not. */
bool mf_check_writable(mf_parser *p, const mf_expr *e, const char *what);

/* operator.c */

mf_expr *mf_make_binary(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b);
mf_expr *mf_make_logical(mf_parser *p, mf_expr_kind kind, mf_expr *a, mf_expr *b);
mf_expr *mf_make_assign(mf_parser *p, mf_expr *a, mf_expr *b);
mf_expr *mf_make_assign_op(mf_parser *p, mf_op op, mf_expr *a, mf_expr *b);
const char *mf_op_text(mf_op op);

/* convert.c */

typedef enum mf_rank { MF_EXACT, MF_PROMOTION, MF_CONVERSION, MF_NO_CONVERSION } mf_rank;

/* How well a value of `e` goes to `to` without a cast. */
mf_rank mf_rank_to(const mf_expr *e, const mf_type *to);
/* The implicit conversion; reports an impossible one as "cannot <what> ...". */
mf_expr *mf_convert(mf_parser *p, mf_expr *e, const mf_type *to, const char *what);
/* The conversion of a value that is known to be possible. */
mf_expr *mf_cast_to(mf_parser *p, mf_expr *e, const mf_type *to, mf_cast kind);
/* (to)e, static_cast and the like. */
mf_expr *mf_explicit(mf_parser *p, mf_expr *e, mf_qtype to, span at);
mf_expr *mf_as_type(mf_parser *p, mf_expr *e, const mf_type *to, span at);
/* A condition: scalar bool. */
mf_expr *mf_condition_value(mf_parser *p, mf_expr *e);
/* Integer promotion of a value; an unscoped enumeration becomes its integer. */
mf_expr *mf_promote(mf_parser *p, mf_expr *e);
/* The type that both scalars are converted to for arithmetic; NULL where there is none. */
const mf_type *mf_common_scalar(const mf_type *a, const mf_type *b);

/* construct.c */

/* T(args) and T{args}. */
mf_expr *mf_construct(mf_parser *p, mf_qtype type, mf_exprs *args, span at);
/* What follows "=" for a variable of *type: a value of it. Gives an array of open length (count 0)
 * its length. */
mf_expr *mf_parse_initializer(mf_parser *p, const mf_type **type);
/* Binds a reference of `type` to an expression: a place. */
mf_expr *mf_bind_reference(mf_parser *p, mf_expr *e, const mf_type *type, const char *what);
bool mf_can_bind(const mf_expr *e, const mf_type *reference);
/* A braced list for T, at "{". */
mf_expr *mf_parse_braced(mf_parser *p, const mf_type **type);

/* overload.c, builtin.c */

mf_expr *mf_call_function(mf_parser *p, const mf_ref *name, mf_exprs *args, span at);
/* An overload that takes the arguments, and how well it takes each. */
enum { MF_MATCHES = 8, MF_CALL_ARGS = 32 };
typedef struct mf_match {
    mf_candidate *user; /* or NULL: the library's */
    int builtin;
    mf_scalar element;
    unsigned width;
    uint8_t ranks[MF_CALL_ARGS];
} mf_match;
typedef struct mf_matches {
    mf_match at[MF_MATCHES]; /* the best, none better than another */
    size_t n;
} mf_matches;
void mf_keep_best(mf_matches *all, const mf_match *m, size_t args);
/* Adds the overloads of a library function that take the arguments. Silent when none does. */
void mf_match_builtin(mf_parser *p, int row, const mf_exprs *args, mf_matches *all);
mf_expr *mf_call_builtin(mf_parser *p, const mf_match *m, mf_math math, mf_exprs *args, span at);
/* The library's overload as text, "half max(half, half)"; all of them as "T max(T, T)". */
str mf_builtin_text(mf_parser *p, const mf_match *m);
str mf_builtin_pattern(mf_parser *p, int row);
/* name<...>(...) of the library: as_type, make_filled_simdgroup_matrix, numeric_limits; cursor
 * behind the name. NULL where it is none of those. */
mf_expr *mf_library_template(mf_parser *p, const mf_ref *name);

/* const.c */

mf_constant mf_wrap(mf_scalar s, uint64_t bits);
mf_constant mf_convert_constant(mf_scalar from, mf_constant c, mf_scalar to);
/* A constant integer within [low, high], or a complaint that `what` must be one. */
bool mf_constant_integer(mf_parser *p, const mf_expr *e, const char *what, int64_t low,
                         int64_t high, int64_t *out);
/* Whether a global may be initialised so: known before the kernel runs. */
bool mf_is_known(const mf_expr *e);

/* parse_expr.c */

mf_expr *mf_parse_expr(mf_parser *p);       /* with commas */
mf_expr *mf_parse_assignment(mf_parser *p); /* without */
mf_expr *mf_parse_ternary(mf_parser *p);    /* a constant expression */
/* Arguments after "(" up to and with ")". */
bool mf_parse_arguments(mf_parser *p, mf_exprs *out, mf_token_kind close);

/* parse_type.c */

typedef struct mf_attribute {
    mf_ident *name;
    span at;
    bool has_number;
    int64_t number;
    str text;
} mf_attribute;

VEC_DECLARE(mf_attributes, mf_attribute)

typedef struct mf_specs {
    mf_qtype type;
    span at, space_at;
    bool is_typedef, is_static, is_inline, is_extern, is_constexpr, is_kernel, is_auto, has_record;
    uint32_t align; /* alignas(n): the largest given; 0 = none */
    span align_at;
    mf_attributes attributes;
} mf_specs;

typedef struct mf_declarator {
    mf_qtype type;
    mf_ident *name; /* NULL where there is none */
    span at;        /* of the name, or of where it would be */
} mf_declarator;

/* Whether a declaration or a type begins at the cursor. */
bool mf_at_type(mf_parser *p);
bool mf_parse_specs(mf_parser *p, mf_specs *out);
/* Reports an alignas where only members may have one. */
void mf_refuse_alignas(mf_parser *p, const mf_specs *specs);
/* Pointers, name, arrays after specifiers. */
bool mf_parse_declarator(mf_parser *p, const mf_specs *specs, mf_declarator *out);
/* A type by itself, as in casts. */
bool mf_parse_type_id(mf_parser *p, mf_qtype *out);
/* Tries "( type-id )"; the cursor moves only when it is one. */
bool mf_try_cast(mf_parser *p, mf_qtype *out);
bool mf_parse_attributes(mf_parser *p, mf_attributes *out);
/* The type a name stands for, at the name; NULL (nothing moved) when it is not a type. */
bool mf_parse_named_type(mf_parser *p, mf_qtype *out);
/* Whether values of the type can be: complete, sized. */
bool mf_check_object_type(mf_parser *p, const mf_type *t, span at, const char *what);

/* parse_record.c */

bool mf_parse_record(mf_parser *p, mf_qtype *out);
bool mf_parse_enum(mf_parser *p, mf_qtype *out);

/* parse_decl.c */

void mf_parse_unit(mf_parser *p);
/* using, typedef, static_assert: in any scope. False where the cursor stands at something else. */
bool mf_parse_common_decl(mf_parser *p);
/* A declaration of variables within a function, up to ";"; each is pushed as a statement. */
void mf_parse_local(mf_parser *p, mf_stmts *out);
mf_var *mf_new_var(mf_parser *p, mf_var_kind kind, const mf_declarator *d);
/* Gives a variable its initialiser at "=", "(" or "{", or none; reports what is wrong with it. */
void mf_initialize(mf_parser *p, mf_var *v, const mf_specs *specs);

/* parse_function.c */

void mf_parse_function(mf_parser *p, const mf_specs *specs, const mf_declarator *d);

/* flow.c */

/* Whether control may come to the end of the statement. */
bool mf_may_end(const mf_stmt *s);

/* kernel.c */

void mf_bind_kernel(mf_parser *p, mf_function *f, const mf_attributes *params);

/* parse_stmt.c */

mf_stmt *mf_parse_block(mf_parser *p); /* at "{", in a scope of its own */
mf_stmt *mf_new_stmt(mf_parser *p, mf_stmt_kind kind, span at);

/* unit.c */

mf_unit *mf_finish_unit(mf_parser *p);

#endif
