/* The state shared by the files of lower_builtins: expressions rewritten, with statements put before. */
#ifndef PASS_LOW_H
#define PASS_LOW_H

#include "ir/bound.h"
#include "ir/fold.h"
#include "ir/walk.h"
#include "pass/pass.h"
#include "pass/region.h"

/* What an expression is for. The sums and products that make an address are the program's own fault where they
 * overflow (bound.h) and stay as written; everything else wraps, unless it is proved that it need not. */
typedef enum low_place { LOW_VALUE, LOW_ADDRESS } low_place;

typedef struct low {
    ir_rewrite r;
    pass_context *cx;
    ir_analyzer *az;
    ir_node_vec *pre;  /* statements to come before the one being rewritten */
    low_place place;
    region_axes axes;  /* of the kernel */
} low;

/* `e` as a variable or constant, so that it can be used twice: bound before the statement. */
const ir_node *low_once(low *l, const ir_node *e, const char *name);

/* Node makers without folding surprises; operands have one type. */
const ir_node *low_bin(low *l, ir_op op, const ir_node *a, const ir_node *b);
const ir_node *low_const(low *l, ir_type t, int64_t v);
const ir_node *low_float(low *l, ir_type t, double v);
const ir_node *low_select(low *l, const ir_node *cond, const ir_node *yes, const ir_node *no);
const ir_node *low_call(low *l, ir_builtin fn, ir_type t, size_t n, const ir_node *const *args);
const ir_node *low_call1(low *l, ir_builtin fn, ir_type t, const ir_node *a);
const ir_node *low_cast(low *l, ir_type t, const ir_node *a);
const ir_node *low_bits(low *l, ir_type t, const ir_node *a); /* reinterpret */
/* The unsigned integer type of the same width. */
ir_type low_unsigned(ir_type t);

/* An integer operator whose operands `a`, `b` are lowered already; n is the original. */
const ir_node *low_int_bin(low *l, const ir_bin *n, const ir_node *a, const ir_node *b);
/* The same for floats. */
const ir_node *low_float_bin(low *l, const ir_bin *n, const ir_node *a, const ir_node *b);
/* A conversion of the lowered `a`; `from` is the original operand. */
const ir_node *low_conversion(low *l, const ir_cast *n, const ir_node *a);
/* A call with lowered arguments; the call itself where there is nothing to do. */
const ir_node *low_builtin(low *l, const ir_call *n);
/* Shuffles: part of low_builtin. */
const ir_node *low_shuffle(low *l, const ir_call *n);

#endif
