/* The variables and buffers that a piece of IR uses but does not define. */
#ifndef PASS_FREE_VARS_H
#define PASS_FREE_VARS_H

#include "ir/walk.h"

/* In order of first use. Pointers of used buffers count as used variables. */
typedef struct free_vars {
    ir_var_vec vars;
    ir_buffer_vec buffers;
} free_vars;

free_vars free_vars_of(arena *mem, const ir_node *root);

#endif
