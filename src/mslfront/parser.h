/* What the parser's files share: its state, scopes, and what each file offers the others. */
#ifndef MSLFRONT_PARSER_H
#define MSLFRONT_PARSER_H

#include "base/map.h"
#include "base/vec.h"
#include "mslfront/lex.h"
#include "mslfront/tree.h"

enum {
    MF_PARSE_DEPTH = 256,   /* brackets, unary operators and declarators within each other */
    MF_NESTED_DEPTH = 768,  /* the same, with those of the instantiations around summed */
    MF_INSTANCE_DEPTH = 128, /* instantiations that ask for each other */
    MF_INSTANCES = 50000    /* of a text */
};

/* A type with the qualifiers and the address space of what has it. */
typedef struct mf_qtype {
    const mf_type *type;
    mf_space space;
    uint8_t quals;
} mf_qtype;

/* Scopes and symbols */

typedef struct mf_scope mf_scope;
typedef struct mf_symbol mf_symbol;

VEC_DECLARE(mf_vars, mf_var *)
typedef struct mf_candidate mf_candidate;
typedef struct mf_template mf_template;

typedef enum mf_symbol_kind {
    MF_SYM_VAR,
    MF_SYM_TYPE,
    MF_SYM_FIELD,    /* of the record whose scope it stands in */
    MF_SYM_FUNCTION, /* an overload set */
    MF_SYM_TEMPLATE, /* of classes, aliases or variables */
    MF_SYM_PACK,     /* a parameter pack: `pack` */
    MF_SYM_ENUMERATOR,
    MF_SYM_NAMESPACE,
    MF_SYM_LIBRARY /* "using metal::name" */
} mf_symbol_kind;

typedef enum mf_targ_kind {
    MF_TARG_TYPE,
    MF_TARG_VALUE,    /* `value` of the scalar or enumeration type `type` */
    MF_TARG_FUNCTION, /* `symbol`: an overload set */
    MF_TARG_TEMPLATE, /* `symbol`: a template of classes */
    MF_TARG_PACK,     /* `pack`: what a parameter pack stands for */
    MF_TARG_NONE      /* not deduced yet */
} mf_targ_kind;

/* An argument of a template. */
typedef struct mf_targ {
    mf_targ_kind kind;
    mf_qtype type;
    mf_constant value;
    mf_symbol *symbol;
    struct mf_targ *pack;
    size_t pack_count;
} mf_targ;

VEC_DECLARE(mf_targs, mf_targ)

struct mf_symbol {
    mf_symbol_kind kind;
    mf_ident *name;
    span at;
    mf_symbol *next; /* of its scope */
    mf_var *var;
    mf_qtype type; /* TYPE; ENUMERATOR */
    mf_candidate *functions;
    const mf_targs *given; /* FUNCTION: arguments written with its name, as in an argument "f<float>" */
    mf_template *generic;  /* TEMPLATE; TYPE: a class template's own name within it */
    const mf_targ *pack;   /* PACK of a template */
    mf_vars *pack_vars;    /* PACK of parameters */
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
    bool in_metal;     /* NAMESPACE: the library's or one in it */
    mf_record *record; /* RECORD: whose names these are; NULL of an enumeration */
    bool is_params; /* a function's parameters: the body's outermost block may not declare their
                       names again */
    mf_symbol *first, *last;
    size_t n;
    map index; /* by identifier; only built for scopes of more than a few names */
    mf_scope **used;
    size_t used_count;
};

/* One user function: a signature, perhaps with a body; or a template of functions. */
struct mf_candidate {
    mf_function *function; /* of a template, only its name and place */
    mf_candidate *next; /* of the overload set */
    mf_template *generic;  /* the template it is, or NULL */
    mf_template *made_of;  /* the template it was made from, or NULL */
    mf_record *record;     /* a member of it, or NULL */
    mf_var *self;          /* the object of a member function or a constructor, or NULL */
    bool is_aggregate; /* the constructor that a list stands for: what it leaves out is zero */
    bool is_static, is_constructor, is_explicit, is_constexpr, is_auto, is_deleted, is_default;
    bool in_metal;         /* added to the library's namespace */
    str compiled_as;       /* __asm("..."): the name of a function of the compiler's own, with its quotes; empty: none */
    bool used;             /* of an instance: called or asked for */
    bool needed;           /* its body is read or waits to be */
    bool reading;          /* its body is being read */
    size_t body_at;        /* token at which its body, not read yet, begins; 0: none */
    mf_scope *scope;       /* in which that is read */
    bool auto_failed;      /* its "auto" result could not be found */
    mf_ident *pack_name;   /* of the parameters that a pack stands for */
    const void *instance_head; /* of an instance: what stood before its body */
    unsigned instance;     /* depth of instantiation it was asked for in */
    const mf_candidate *asked_by;
    mf_expr **defaults; /* a parameter each, NULL where none */
    size_t required;    /* parameters without a default */
    mf_candidate **callees;
    size_t callee_count, callee_cap;
    span called_at; /* of a first call, for the complaint about a missing body */
    enum { MF_NOT_VISITED, MF_ON_PATH, MF_VISITED } visit;
};

VEC_DECLARE(mf_candidates, mf_candidate *)
VEC_DECLARE(mf_functions, mf_function *)
VEC_DECLARE(mf_exprs, mf_expr *)
VEC_DECLARE(mf_stmts, mf_stmt *)
VEC_DECLARE(mf_fields, mf_field)

/* A name with template arguments that was read at a token in a scope: peeking reads it again and
 * again. */
typedef struct mf_seen_id {
    size_t at, end;
    const mf_scope *scope;
    bool in_type; /* no_greater */
    mf_targs args;
} mf_seen_id;

enum { MF_SEEN_IDS = 1024 };
typedef struct mf_seen_ids {
    mf_seen_id at[MF_SEEN_IDS];
} mf_seen_ids;

typedef struct mf_parser {
    arena *mem;
    source_set *sources;
    diag_list *diags;
    mf_idents *idents;
    mf_types types;
    const mf_token *tokens; /* ends with MF_TOK_END; behind that, what was written out for lambdas */
    mf_tokens written;      /* the same, to be added to */
    struct mf_lambda *lambdas;
    size_t token_count, at;
    mf_scope *global, *scope;
    mf_candidates candidates; /* every function, in order of first declaration */
    mf_functions kernels;
    mf_vars globals;
    mf_candidates named; /* functions whose names were used as values, in order of their numbers */
    struct mf_dispatcher *dispatchers;
    mf_candidate *function; /* whose body is being read, or NULL */
    mf_vars locals;
    bool panic; /* a syntax error was reported; nothing more is, until the parser has recovered */
    bool no_greater; /* in template arguments: ">" closes them */
    unsigned depth, stmt_depth;
    unsigned outer_depth; /* of the texts whose reading an instantiation interrupted */
    unsigned loops, switches;
    mf_vars alive;        /* of the function being read: variables that are destroyed where their scope is left */
    size_t break_alive, continue_alive; /* how many of those a break and a continue leave alive */
    unsigned instance;    /* instantiations within each other here */
    unsigned instances;   /* made so far */
    mf_candidates pending; /* functions whose bodies are still to be read */
    diag_list *loud;      /* where complaints go that must not be lost, while others are dropped */
    unsigned quiet;       /* lists of complaints that are dropped, within each other */
    uint32_t prelude_file, part_files[MF_PARTS]; /* the library's own texts; 0 where one was not read */
    mf_scope *metal;      /* the library's namespace */
    struct {
        const mf_ident *name; /* NULL: none */
        mf_targ is, other;
    } conflict;           /* the parameter that the last deduction found two things for */
    bool exhausted;       /* a limit on instances was passed */
    const mf_record *specs_of; /* the specifiers read next are of a member of it */
    mf_record *member_of; /* what is read is an instance of a member template of it */
    bool asked;           /* a conversion is written or a condition: explicit functions may make it */
    bool converting;      /* a constructor is tried for a conversion: one is the most */
    bool unevaluated;     /* in decltype and sizeof: nothing here is run */
    mf_seen_ids *seen;    /* template names with arguments, read before */
    const mf_options *options;
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
/* Whether what stands there is of the library's own text. */
static inline bool mf_in_library(const mf_parser *p, span at)
{
    bool found = at.file == p->prelude_file;
    for (size_t i = 0; i < MF_PARTS; ++i) found = found || at.file == p->part_files[i];
    return at.file != 0 && found;
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
/* The same for what is not supported. */
void mf_unsupported(mf_parser *p, span at, const char *format, ...) __attribute__((format(printf, 3, 4)));
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
    const mf_targs *given; /* template arguments written behind a function's name */
    mf_candidate *candidates; /* FUNCTION: instead of the symbol's, or NULL */
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
/* The place of the field of that name in a record's place, also in anonymous members; NULL where there is none. */
mf_expr *mf_find_field(mf_parser *p, mf_expr *a, const mf_ident *name, span at);
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

typedef enum mf_rank {
    MF_EXACT,
    MF_EXACT_CONST, /* but for a qualifier that a reference adds */
    MF_PROMOTION,
    MF_CONVERSION,
    MF_SPLAT, /* of a scalar to all elements of a vector: any scalar is nearer */
    MF_USER_CONVERSION, /* by a constructor or a conversion function */
    MF_NO_CONVERSION
} mf_rank;

/* How well a value of `e` goes to `to` without a cast. */
mf_rank mf_rank_to(mf_parser *p, const mf_expr *e, const mf_type *to);
/* A record that converts to one type only, as an operand: a value of that. Others as they are. */
mf_expr *mf_as_number(mf_parser *p, mf_expr *e);
bool mf_has_conversions(const mf_record *r);
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

/* Whether a constructor of the text's own makes the record; one that is left to the compiler or deleted is none. */
bool mf_has_own_constructor(const mf_record *r);
/* T(args) and T{args}. */
mf_expr *mf_construct(mf_parser *p, mf_qtype type, mf_exprs *args, span at);
/* What follows "=" for a variable of *type: a value of it. Gives an array of open length (count 0)
 * its length. */
mf_expr *mf_parse_initializer(mf_parser *p, const mf_type **type);
/* Binds a reference of `type` to an expression: a place. */
mf_expr *mf_bind_reference(mf_parser *p, mf_expr *e, const mf_type *type, const char *what);
bool mf_can_bind(mf_parser *p, const mf_expr *e, const mf_type *reference);
/* A braced list for T, at "{". */
mf_expr *mf_parse_braced(mf_parser *p, const mf_type **type);

/* overload.c, builtin.c */

/* Notes that the function being read calls this one. */
void mf_add_call(mf_parser *p, mf_candidate *callee, span at);
mf_expr *mf_call_function(mf_parser *p, const mf_ref *name, mf_exprs *args, span at);
/* The same, of members: `object` is the place whose member is called; NULL for static ones. */
mf_expr *mf_call_member(mf_parser *p, const mf_ref *name, mf_expr *object, mf_exprs *args, span at);
/* A constructor's call, or NULL, silently, where none takes the arguments. */
mf_expr *mf_call_constructor(mf_parser *p, mf_record *r, mf_exprs *args, bool implicit, span at);
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
void mf_keep_best(mf_parser *p, mf_matches *all, const mf_match *m, size_t args);
/* Adds the overloads of a library function that take the arguments. Silent when none does. */
void mf_match_builtin(mf_parser *p, int row, const mf_exprs *args, mf_matches *all);
mf_expr *mf_call_builtin(mf_parser *p, const mf_match *m, mf_math math, mf_exprs *args, span at);
/* The library's overload as text, "half max(half, half)"; all of them as "T max(T, T)". */
str mf_builtin_text(mf_parser *p, const mf_match *m);
str mf_builtin_pattern(mf_parser *p, int row);
/* name<...>(...) of the library: as_type, make_filled_simdgroup_matrix; cursor
 * behind the name. NULL where it is none of those. */
mf_expr *mf_library_template(mf_parser *p, const mf_ref *name);

/* compiler_call.c: a call of a function declared with __asm */
mf_expr *mf_call_compiler(mf_parser *p, mf_candidate *c, mf_exprs *args, span at);

/* suggest.c */

/* The nearest of several names so far. */
typedef struct mf_nearest {
    str name; /* empty: none is near enough */
    unsigned distance;
} mf_nearest;
/* Takes the name where it is near to what is wanted, and nearer than the best so far. */
bool mf_is_nearer(str wanted, str name, mf_nearest *best);
/* A name that means something where the cursor stands, near to this one; empty where there is none, and after many errors. */
str mf_suggest_name(mf_parser *p, str name);

/* version.c */

/* Whether the language version that was asked for has the library's function, or the type; reports that it has not. */
bool mf_check_function_version(mf_parser *p, str name, span at);
bool mf_check_type_version(mf_parser *p, const mf_type *t, span at);

/* const.c */

mf_constant mf_wrap(mf_scalar s, uint64_t bits);
mf_constant mf_convert_constant(mf_scalar from, mf_constant c, mf_scalar to);
/* A constant integer within [low, high], or a complaint that `what` must be one. */
bool mf_constant_integer(mf_parser *p, const mf_expr *e, const char *what, int64_t low,
                         int64_t high, int64_t *out);
/* Whether a global may be initialised so: known before the kernel runs. */
bool mf_is_known(const mf_expr *e);

/* evaluate.c */

/* The value of a call of a function that can be run now, over scalars; false where it cannot. */
bool mf_fold_call(const mf_expr *e, mf_constant *out);
/* What a constructor's call gives, as an aggregate of constants; NULL where it cannot be run now. */
mf_expr *mf_fold_object(mf_parser *p, const mf_expr *e);

/* parse_expr.c */

mf_expr *mf_parse_expr(mf_parser *p);       /* with commas */
mf_expr *mf_parse_assignment(mf_parser *p); /* without */
mf_expr *mf_parse_ternary(mf_parser *p);    /* a constant expression */
mf_expr *mf_parse_unary(mf_parser *p);      /* without operators between two */
/* How many tokens the operator between two operands at `at` takes, "," and assignments among them; 0: there is none. */
size_t mf_operator_tokens(mf_parser *p, size_t at);
/* What that operator makes of a and b. */
mf_expr *mf_operate(mf_parser *p, size_t at, mf_expr *a, mf_expr *b);
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
    bool is_constructor, is_conversion, is_explicit; /* of members */
    mf_ident *operator_name; /* of a conversion */
    span operator_at;
    uint32_t align; /* alignas(n): the largest given; 0 = none */
    span align_at;
    mf_attributes attributes;
} mf_specs;

typedef struct mf_declarator {
    mf_qtype type;
    mf_ident *name; /* NULL where there is none */
    span at;        /* of the name, or of where it would be */
    bool is_pack;   /* "...": of a parameter pack */
} mf_declarator;

/* Whether a declaration or a type begins at the cursor. */
bool mf_at_type(mf_parser *p);
bool mf_parse_specs(mf_parser *p, mf_specs *out);
/* Reports an alignment where there is nothing to have one. */
void mf_refuse_alignas(mf_parser *p, const mf_specs *specs);
/* alignas(n) at the cursor; __attribute__((...)). False where there is none. */
bool mf_take_alignas(mf_parser *p, mf_specs *out);
bool mf_take_gnu_attribute(mf_parser *p, mf_specs *out);
/* Gives a variable the alignment that is written with it. */
void mf_align_variable(mf_parser *p, const mf_specs *specs, mf_var *v);
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
/* The body of an instance of a class template, at "{" or ":". */
void mf_parse_record_body(mf_parser *p, mf_record *r);
mf_record *mf_new_record(mf_parser *p, bool is_union, str name, span at);
/* One declaration in a struct's body. */
void mf_parse_member(mf_parser *p, mf_record *r, mf_fields *fields);
/* Offsets, size and alignment of a record whose fields are known; it is complete then. */
void mf_lay_out(mf_record *r);
/* Specifiers of a member, which may be a constructor or an operator. */
bool mf_parse_member_specs(mf_parser *p, const mf_record *r, mf_specs *out);
bool mf_parse_enum(mf_parser *p, mf_qtype *out);

/* parse_decl.c */

void mf_parse_unit(mf_parser *p);
/* using, typedef, static_assert: in any scope. False where the cursor stands at something else. */
bool mf_parse_common_decl(mf_parser *p);
/* After the specifiers of a typedef: its names. */
void mf_parse_typedef(mf_parser *p, const mf_specs *specs);
/* A declaration of variables within a function, up to ";"; each is pushed as a statement. */
void mf_parse_local(mf_parser *p, mf_stmts *out);
/* The variable that a condition declares, "T x = value"; NULL after a complaint. */
mf_var *mf_parse_condition_variable(mf_parser *p, mf_stmts *out);
/* A variable in constant space behind its declarator. */
mf_var *mf_parse_global(mf_parser *p, const mf_specs *specs, mf_declarator *d);
mf_var *mf_new_var(mf_parser *p, mf_var_kind kind, const mf_declarator *d);
/* Gives a variable its initialiser at "=", "(" or "{", or none; reports what is wrong with it. */
void mf_initialize(mf_parser *p, mf_var *v, const mf_specs *specs);

/* parse_function.c */

void mf_parse_function(mf_parser *p, const mf_specs *specs, const mf_declarator *d);
/* The name of a function: a declarator, or "operator" and its mark. */
bool mf_parse_function_name(mf_parser *p, const mf_specs *specs, mf_declarator *d);
/* A template of functions joins its overload set; NULL after a complaint. */
mf_candidate *mf_add_generic(mf_parser *p, mf_template *t, bool is_conversion);
mf_candidate *mf_read_instance(mf_parser *p, mf_template *t);
void mf_finish_instance(mf_parser *p, mf_candidate *c);
/* Reads the body of a function whose declaration stands already. */
void mf_read_body(mf_parser *p, mf_candidate *c);
/* Has the body read in time: it is called at `at`. */
void mf_need_body(mf_parser *p, mf_candidate *c, span at);
void mf_read_pending(mf_parser *p);

/* template.c, instance.c */

void mf_parse_template(mf_parser *p);
/* "<...>" at the cursor. */
bool mf_parse_targs(mf_parser *p, mf_targs *out);
/* What follows "template" in an explicit instantiation, and "template <>" in a specialisation of a
 * function, whose arguments stand at the token `args` (0: none). */
void mf_parse_instantiation(mf_parser *p, span begin);
void mf_parse_specialisation(mf_parser *p, size_t name);
/* A member defined outside of its class, behind the specifiers. */
void mf_parse_outside(mf_parser *p, const mf_specs *specs);
/* Its body, to the member of the scope's record that is declared so; at "(". */
void mf_define_member(mf_parser *p, const mf_specs *specs, const mf_declarator *d);
/* The symbol that a class, alias or variable template is for these arguments; NULL after a
 * complaint. */
/* An instance that is called or asked for: joins the unit's functions. */
void mf_use_instance(mf_parser *p, mf_candidate *c, span at);
/* Whether a function of the set has exactly this type. */
bool mf_function_fits(mf_parser *p, const mf_symbol *set, const mf_type *type, span at);
/* "(types)" of a function's type: a place of each. */
bool mf_read_types(mf_parser *p, mf_exprs *out);
mf_symbol *mf_instantiate(mf_parser *p, mf_template *t, const mf_targs *given, span at);
/* The ident "operator+" for the mark between the token "operator" and "(" ; NULL for a type. */
mf_ident *mf_operator_name(mf_parser *p, size_t at, size_t paren);

/* own.c */

/* A call of the user's own operator for these operands; NULL where there is none. `b` may be NULL. */
mf_expr *mf_own_operator(mf_parser *p, str mark, mf_expr *a, mf_expr *b, span at);
/* "simdgroup_matrix.thread_elements()", at "(". */
mf_expr *mf_thread_elements(mf_parser *p, mf_expr *e);
/* An expansion of packs, "x...": read once an element, with the packs' names standing for it. */
enum { MF_PACKS = 8 };
typedef struct mf_pack {
    size_t begin, end, n;
    mf_symbol *names[MF_PACKS];
    size_t count;
} mf_pack;
/* The packs named by the tokens from begin to end. */
void mf_packs_of(mf_parser *p, size_t begin, size_t end, mf_pack *out);
/* Whether what is between here and the next comma expands packs. */
bool mf_find_pack(mf_parser *p, size_t at, mf_pack *out);
/* Goes back to the begin for element `i`, in a scope that mf_pop_scope ends. */
void mf_enter_pack(mf_parser *p, const mf_pack *pack, size_t i);

/* binding.c */

/* Whether "[a" or "&[a" of "auto [a, b] = x" stands at the cursor. */
bool mf_at_binding(const mf_parser *p, const mf_specs *specs);
/* Up to before its ";". */
void mf_parse_binding(mf_parser *p, const mf_specs *specs, mf_stmts *out);

/* fold.c */

/* "(x op ...)" and its like: where the marks before and after "..." lie, 0 where there is none; `close` is the ")". */
typedef struct mf_pack_fold {
    size_t before, dots, after, close;
} mf_pack_fold;
/* Whether the "(" at the cursor opens an expression that folds a pack. */
bool mf_find_fold(mf_parser *p, mf_pack_fold *out);
mf_expr *mf_parse_fold(mf_parser *p, const mf_pack_fold *fold);

/* function_value.c */

/* The type of a function with these parameters (a place of each, as mf_read_types gives). */
const mf_type *mf_type_of_function(mf_parser *p, const mf_type *result, const mf_exprs *params);
/* A function's name as a value: of its type where it means one only, else of mf_set_type(). */
mf_expr *mf_function_value(mf_parser *p, const mf_ref *name, span at);
/* The function of the set that has exactly this type; NULL: none. */
mf_candidate *mf_function_of_type(mf_parser *p, const mf_symbol *set, const mf_type *type, span at);
/* A name that may mean several: is it one; what it means as a value of the type (NULL: nothing); the complaint. */
bool mf_is_set(const mf_expr *e);
mf_expr *mf_choose_function(mf_parser *p, const mf_expr *e, const mf_type *to);
mf_expr *mf_refuse_set(mf_parser *p, const mf_expr *e);
/* The call of the function that a value stands for. */
mf_expr *mf_call_value(mf_parser *p, mf_expr *value, mf_exprs *args, span at);
/* The value, or nullptr, as the number that it is. */
mf_expr *mf_function_number(mf_parser *p, mf_expr *e);
/* When all of the text is read: the bodies of what such calls call. */
void mf_write_dispatchers(mf_parser *p);

/* lambda.c */

mf_expr *mf_parse_lambda(mf_parser *p);

/* member.c */

/* Statements of a constructor: the members' initialisers, then its body. */
mf_stmt *mf_constructor_body(mf_parser *p, mf_candidate *c);
/* Statements of "operator=" where it is left to the compiler. */
mf_stmt *mf_assignment_body(mf_parser *p, mf_candidate *c);
/* The value of a record's place where a copy is made: by its own constructor, if it has one. */
mf_expr *mf_copy(mf_parser *p, mf_expr *e);
/* A record from the values of its first members; the others have their own, which may name members. */
mf_expr *mf_complete_record(mf_parser *p, mf_record *r, const mf_exprs *given, span at);
/* The value that "T x;" gives; NULL where it gives none. */
mf_expr *mf_default_value(mf_parser *p, const mf_type *type, span at);
/* The value that "T()" and "{}" give: what has no value of its own is zero, unless a constructor that the program wrote leaves it
 * out. NULL where all is zero. */
mf_expr *mf_empty_value(mf_parser *p, const mf_type *type, span at);
/* The member functions of that name, of the record or its bases; NULL: none. */
mf_symbol *mf_find_member(const mf_record *r, const mf_ident *name);
/* Whether the function being read has an object: its own, or of a lambda the one that it captured. */
bool mf_has_self(mf_parser *p);
/* The object of the function being read: a place; NULL after a complaint. */
mf_expr *mf_make_self(mf_parser *p, span at);
/* The lambda itself, in its body. */
mf_expr *mf_make_closure(mf_parser *p, span at);
/* What a member is without an initialiser in the constructor; NULL: left as it is. */
mf_expr *mf_member_default(mf_parser *p, mf_record *r, const mf_field *f, span at);
/* A place of a record as one of its base. */
mf_expr *mf_to_base(mf_parser *p, mf_expr *e, const mf_record *base);
bool mf_derives(const mf_record *r, const mf_record *base);
/* Whether the base lies where the record does. */
bool mf_begins_with(const mf_record *r, const mf_record *base);

/* destroy.c */

/* Whether something is run where a value of the type ends. */
bool mf_is_destroyed(const mf_type *t);
/* A destructor in a struct's body, at "~". */
void mf_parse_destructor(mf_parser *p);
/* What a record whose members are known runs where it ends. */
void mf_find_destructor(mf_parser *p, mf_record *r);
/* The variable has been made. */
void mf_note_alive(mf_parser *p, mf_var *v);
/* The scope that began with `mark` variables alive ends: what came since is destroyed behind its statements; around one statement. */
void mf_end_scope(mf_parser *p, mf_stmts *items, size_t mark);
mf_stmt *mf_end_around(mf_parser *p, mf_stmt *s, size_t mark);
/* The jump, or a block that destroys first what it leaves. */
mf_stmt *mf_before_jump(mf_parser *p, mf_stmt *jump, size_t mark);
mf_stmt *mf_before_return(mf_parser *p, mf_stmt *s);
/* An expression by itself, whose value is destroyed at once. */
mf_stmt *mf_drop_value(mf_parser *p, mf_stmt *s);
/* Refuses a value that nothing would destroy. */
bool mf_check_temporary(mf_parser *p, const mf_expr *e);

/* flow.c */

/* Whether control may come to the end of the statement. */
bool mf_may_end(const mf_stmt *s);

/* self_call.c */

/* Whether the function calls itself only as the last thing that it does, and gives no call the address of its own variables: it is a loop. */
bool mf_recurs_at_end(const mf_function *f);

/* kernel.c */

void mf_bind_kernel(mf_parser *p, mf_function *f, const mf_attributes *params);
/* Whether a kernel's parameter with an attribute of that name is an input; a variable outside functions with it, which every function may read. */
bool mf_is_input(str name);
bool mf_bind_global(mf_parser *p, mf_var *v, const mf_attribute *a);

/* texture.c */

/* Whether the type is one of the library's textures or samplers: a number that stands for one. */
bool mf_is_handle(const mf_parser *p, const mf_type *t);
/* [[texture(n)]] or [[sampler(n)]] of a kernel's parameter; `a` NULL where neither is written. False where the parameter is no such thing. */
bool mf_bind_texture(mf_parser *p, mf_var *v, const mf_attribute *a);

/* parse_stmt.c */

mf_stmt *mf_parse_block(mf_parser *p); /* at "{", in a scope of its own */
mf_stmt *mf_new_stmt(mf_parser *p, mf_stmt_kind kind, span at);
/* A variable that no name means; its declaration goes to `out`. */
mf_var *mf_hidden_local(mf_parser *p, mf_stmts *out, const mf_type *type, mf_expr *init, span at);

/* unit.c */

mf_unit *mf_finish_unit(mf_parser *p);

#endif
