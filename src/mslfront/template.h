/* Templates: what is kept of one, and what the files that declare, deduce and instantiate share.
 *
 * A template is kept as the place of its tokens. To instantiate it the cursor goes back there, in a
 * scope in which the parameters' names stand for the arguments; what comes of it is remembered by
 * the arguments, so that equal ones give the same type or function.
 */
#ifndef MSLFRONT_TEMPLATE_H
#define MSLFRONT_TEMPLATE_H

#include "mslfront/parser.h"

enum { MF_TPARAMS = 64 };

typedef enum mf_tparam_kind {
    MF_TPARAM_TYPE,
    MF_TPARAM_VALUE,
    MF_TPARAM_FUNCTION, /* a pointer to a function */
    MF_TPARAM_TEMPLATE
} mf_tparam_kind;

typedef struct mf_tparam {
    mf_tparam_kind kind;
    mf_ident *name; /* NULL where it has none */
    span at;
    bool pack;
    size_t type_at;    /* VALUE: where its type begins */
    size_t default_at; /* 0: none */
} mf_tparam;

typedef enum mf_template_kind {
    MF_OF_FUNCTIONS,
    MF_OF_CLASSES,
    MF_OF_ALIASES,
    MF_OF_VARIABLES
} mf_template_kind;

/* A parameter of a function template, as tokens. */
typedef struct mf_pattern {
    size_t begin, end;
    bool has_default, pack;
} mf_pattern;

struct mf_template {
    mf_template_kind kind;
    mf_ident *name;
    span at;
    mf_scope *scope;
    mf_record *record; /* of a member of one */
    mf_tparam *params;
    size_t param_count;
    size_t begin;                 /* what follows the parameters */
    size_t args_at;               /* of a specialisation: "<" behind the name; else 0 */
    bool has_body;                /* of classes */
    mf_template *specials, *next; /* its specialisations, and the next of those */
    mf_pattern *patterns;         /* of functions */
    size_t pattern_count, required;
    unsigned weight; /* of functions: how much their parameters say; the more, the more special */
    const mf_targs *strangers; /* of functions, for ordering.c; NULL until asked for */
    mf_symbol *symbol;
    map made; /* by arguments: mf_symbol or mf_candidate */
};

/* What an instantiation interrupts. */
typedef struct mf_state {
    size_t at;
    mf_scope *scope;
    mf_candidate *function;
    mf_vars locals, alive;
    size_t break_alive, continue_alive;
    bool panic, no_greater, unevaluated;
    unsigned depth, outer_depth, stmt_depth, loops, switches;
} mf_state;

/* Begins to read elsewhere; false, after a complaint, when too deep. Ended by mf_resume in any
 * case. */
bool mf_interrupt(mf_parser *p, mf_state *old, size_t at, mf_scope *scope, span asked);
void mf_resume(mf_parser *p, const mf_state *old);

/* Complaints go to `quiet` until mf_loud; gives the list they went to before. */
diag_list *mf_quiet(mf_parser *p, diag_list *quiet);
bool mf_loud(mf_parser *p, diag_list *before);
/* Complaints go to the text's own list, also while others are dropped: what is wrong in a body is
 * wrong whoever asks. Gives the list to set p->diags back to. */
diag_list *mf_aloud(mf_parser *p);

/* template.c */

/* A scope in which the template's parameters stand for the arguments. */
mf_scope *mf_bind_args(mf_parser *p, const mf_template *t, const mf_targs *args);
/* Completes arguments by the parameters' defaults and types; false, perhaps after a complaint,
 * where they do not fit. */
bool mf_complete_args(mf_parser *p, const mf_template *t, mf_targs *args, span at);
str mf_args_key(mf_parser *p, const mf_targs *args);
bool mf_same_arg(const mf_targ *a, const mf_targ *b);
str mf_args_text(mf_parser *p, const mf_targs *args);

/* deduce.c */

/* Finds the patterns of a function template's parameters, from "(" on; false where there are too
 * many. */
bool mf_find_patterns(mf_parser *p, mf_template *t, size_t paren);
/* Deduces what `given` leaves open from the arguments of a call. */
bool mf_deduce_call(mf_parser *p, const mf_template *t, const mf_targs *given, const mf_exprs *args,
                    mf_targs *out);
/* The parameters that are open still, from the result that a specialisation or an instantiation has. */
void mf_deduce_result(mf_parser *p, const mf_template *t, mf_qtype result, mf_targs *args);
/* Deduces the parameters of a specialisation from the arguments. */
bool mf_deduce_special(mf_parser *p, const mf_template *t, const mf_targs *args, mf_targs *out);

/* Deduces all parameters from types for the first n of the function's; false where they do not fit. */
bool mf_deduce_types(mf_parser *p, const mf_template *t, const mf_qtype *types, size_t n, mf_targs *out);

/* ordering.c */

/* -1 where a is the more special of two templates for a call with n arguments, 1 where b is, 0 where neither is. */
int mf_more_special(mf_parser *p, mf_template *a, mf_template *b, size_t n);

/* skip.c */

size_t mf_skip_balanced(const mf_parser *p, size_t at);
/* Behind "<...>" at `at`. */
size_t mf_skip_angles(const mf_parser *p, size_t at);
/* The "," or ">" that ends a template's argument or parameter. */
size_t mf_skip_arg(const mf_parser *p, size_t at);
/* Behind a declaration of a function from its "(" on, with a body or ";". */
size_t mf_skip_function(const mf_parser *p, size_t paren);
/* The same from behind its parameters on. */
size_t mf_skip_body(const mf_parser *p, size_t at);
/* Behind a statement. */
size_t mf_skip_statement(const mf_parser *p, size_t at);

/* instance.c */

/* The function of a template for these complete arguments; NULL, silently, where its declaration
 * does not fit them. */
mf_candidate *mf_function_instance(mf_parser *p, mf_candidate *generic, const mf_targs *args,
                                   span at);

#endif
