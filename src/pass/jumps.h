/* Statements that leave what they stand in: break, continue, return. */
#ifndef PASS_JUMPS_H
#define PASS_JUMPS_H

#include "ir/ir.h"

/* Does a break or continue in `body` belong to the loop around it? */
bool jumps_belong(const ir_node *body);

/* One of the jumps at or below the statement, whatever they leave; NULL where there is none. */
const ir_node *jumps_find(const ir_node *stmt);

#endif
