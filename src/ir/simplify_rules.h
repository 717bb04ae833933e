/* Inside the simplifier: the rules, a file each by idea. Operands given to them are simplified
 * already. */
#ifndef IR_SIMPLIFY_RULES_H
#define IR_SIMPLIFY_RULES_H

#include "ir/analyzer.h"

/* Sums: `l` joined and put together; `old` itself where that gives the same expression. */
const ir_node *ir_simplify_linear(ir_analyzer *az, ir_linear *l, const ir_node *old);

/* Each of these gives a op b in its best form: integer scalars of one type. */
const ir_node *ir_simplify_division(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b);
const ir_node *ir_simplify_minmax(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b);
const ir_node *ir_simplify_compare(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b);

/* The same for integer vectors: ramps and broadcasts stay ramps and broadcasts. */
const ir_node *ir_simplify_vector(ir_analyzer *az, ir_op op, const ir_node *a, const ir_node *b);

#endif
