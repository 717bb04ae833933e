/* What every pass may take for granted of the dimensions of a function's parameters. */
#ifndef PASS_SHAPES_H
#define PASS_SHAPES_H

#include "ir/bound.h"

/* Tells the analyzer that the dimensions are never negative: the host checks them. */
void know_shapes(ir_analyzer *az, const ir_func *f);

#endif
