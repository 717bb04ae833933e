/* Scalar values and what each operator and pure builtin means on them: the one place that states
 * it. */
#ifndef IR_VALUE_H
#define IR_VALUE_H

#include "ir/ir.h"

/* One lane. Integers and bools are wrapped to their type (uint64 as its bits), floats rounded to
 * it. */
typedef struct ir_value {
    ir_type type; /* lanes = 1 */
    union {
        int64_t i;
        double f; /* of a float type */
    };
} ir_value;

/* Wrapped or rounded to the element type of `type`. */
ir_value ir_value_int(ir_type type, int64_t i);
ir_value ir_value_float(ir_type type, double f);

/* Can values of this type be computed with? (Not pointers, void, or floats without arithmetic.) */
bool ir_value_known(ir_type type);

/* Is it a nonzero bool or number? NaN counts as true. */
bool ir_value_truth(ir_value v);

/* a op b, both of one type. Integers wrap at their width; a float result is rounded once to its
 * type. False where the operator has no answer: division by zero, or a type that it is not defined
 * on. */
bool ir_value_bin(ir_op op, ir_value a, ir_value b, ir_value *out);

/* Conversion: integers wrap, a float loses its fraction and saturates (NaN gives 0), bool is "not
 * zero". *exact (may be NULL) is false where other machines may answer otherwise: a float outside
 * of the integer's range. */
bool ir_value_cast(ir_type type, ir_value a, ir_value *out, bool *exact);

/* A pure elementwise builtin on `n` values; `type` is the result's. Mathematics in double, rounded
 * once. False for builtins that are no function of scalar values, and for wrong types. */
bool ir_value_call(ir_builtin fn, ir_type type, const ir_value *args, size_t n, ir_value *out);

/* The value's bits as memory holds them, and back. */
uint64_t ir_value_bits(ir_value v);
ir_value ir_value_from_bits(ir_type type, uint64_t bits);

/* The constant that a node is, or that it broadcasts. */
bool ir_value_of(const ir_node *n, ir_value *out);

/* The constant as a node; lanes > 1 gives a broadcast. */
const ir_node *ir_value_node(arena *mem, ir_value v, uint32_t lanes, span at);

#endif
