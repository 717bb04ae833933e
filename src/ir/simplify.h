/* Canonical simplification of expressions, and proofs by it. */
#ifndef IR_SIMPLIFY_H
#define IR_SIMPLIFY_H

#include "ir/bound.h"

/* An expression with the same value (and effects) under what the analyzer knows, in the form that
 * an expert would write: sums of terms collected, needless div and mod gone, conditions decided
 * where ranges decide them. Floats keep NaN, infinity and signed-zero behaviour. Also goes into
 * operands of loads and calls. Statements are simplified by the pass of that name, not here. */
const ir_node *ir_simplify(ir_analyzer *az, const ir_node *expr);

/* True: the bool condition holds for all values that the analyzer allows. False: not proved. */
bool ir_prove(ir_analyzer *az, const ir_node *cond);

/* True where a and b (integers) are proved equal. */
bool ir_prove_equal(ir_analyzer *az, const ir_node *a, const ir_node *b);

#endif
