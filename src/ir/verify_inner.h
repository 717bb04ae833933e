/* Inside the verifier: its state, and the checks by file. */
#ifndef IR_VERIFY_INNER_H
#define IR_VERIFY_INNER_H

#include "ir/verify.h"
#include "ir/walk.h"

/* What is visible now; `variable` or `buffer` is set. */
typedef struct verify_name {
    const ir_var *var;
    const ir_buffer *buffer;
} verify_name;

VEC_DECLARE(verify_names, verify_name)

typedef struct verifier {
    ir_walk w; /* first: the walk's hooks get the verifier */
    arena *mem;
    diag_list *diags;
    const char *after;
    const ir_module *module;
    const ir_func *func;
    map visible;        /* variable or buffer -> itself */
    map ever;           /* all that were defined in this function */
    verify_names stack; /* in order of definition */
    const ir_node *whole; /* the value of the BIND or EVAL being looked at: may be an atomic operation */
    unsigned loops;     /* around, for break and continue */
    unsigned depth;
} verifier;

/* Reports a broken rule. */
void verify_fail(verifier *v, span at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The types of one node and its operands (not of what is below them). */
void verify_types(verifier *v, const ir_node *n);
/* Index count, index types and the type of an access; false where the count is wrong. */
bool verify_access(verifier *v, const ir_buffer *b, ir_list index, ir_type type, span at);

/* The properties that the module has set, on one statement or expression. */
void verify_properties(verifier *v, const ir_node *n);
/* On functions as a whole. */
void verify_func_properties(verifier *v, const ir_func *f);

/* blockIdx.x ... threadIdx.z, vthread, vthread.x ..., cthread */
bool verify_tag(str tag);

#endif
