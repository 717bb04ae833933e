/* What is known about integer expressions: ranges of variables, assumed conditions, intervals and
 * modular sets.
 *
 * Overflow. Integer + - * wrap in the IR, so a proof may use a sum as a number only where it cannot
 * have wrapped. Two things show that:
 * - its interval lies inside the type. Whatever the analyzer was told nothing about (a loaded
 * value, a scalar argument) has its type's whole interval, so `x + 1 > x` is not proved for it;
 * - or it is index arithmetic without a known end: a variable that was bound to an unknown extent
 * (a loop to `n`, a shape with range [0, inf], a natural variable) has an infinite end, and signed sums of 32 or 64
 * bits with infinite ends are taken not to overflow, as TIR takes all its indices. Finite ends are
 * never waved through, nor are products by constants so large that an extent of a few thousand would
 * overflow, and sums with constants of half the type's range. Sums, differences and products by constants are collected modulo 2^bits,
 * which is right either way. */
#ifndef IR_BOUND_H
#define IR_BOUND_H

#include "ir/ir.h"

/* The ends of what int64 can say stand for infinity. */
#define IR_NEG_INF INT64_MIN
#define IR_POS_INF INT64_MAX

/* All values v with min <= v <= max. */
typedef struct ir_interval {
    int64_t min, max;
} ir_interval;

/* All values coeff * k + base. coeff 0: just base; coeff 1: anything; else 0 <= base < coeff. */
typedef struct ir_modular_set {
    int64_t coeff, base;
} ir_modular_set;

/* Over an arena, which must outlive it. */
typedef struct ir_analyzer ir_analyzer;

/* What ir_analyzer_restore goes back to. */
typedef struct ir_analyzer_mark {
    size_t vars, facts;
} ir_analyzer_mark;

ir_analyzer *ir_analyzer_new(arena *mem);

/* min <= var < min + extent. Where the extent is no constant, var < min + extent is kept as a fact,
 * and an end that is not known counts as infinite (see above). */
void ir_analyzer_bind(ir_analyzer *az, const ir_var *var, const ir_node *min,
                      const ir_node *extent);
/* least <= var <= most; either may be infinite. */
void ir_analyzer_bind_range(ir_analyzer *az, const ir_var *var, int64_t least, int64_t most);
/* var is an immutable name of a value. */
void ir_analyzer_let(ir_analyzer *az, const ir_var *var, const ir_node *value);
/* The condition holds, or does not hold, until restored. Conditions that read memory are not kept,
 * since a store may follow. */
void ir_analyzer_assume(ir_analyzer *az, const ir_node *cond);
void ir_analyzer_assume_not(ir_analyzer *az, const ir_node *cond);

/* Forgets what was bound and assumed since the save. */
ir_analyzer_mark ir_analyzer_save(const ir_analyzer *az);
void ir_analyzer_restore(ir_analyzer *az, ir_analyzer_mark mark);

/* Of any lane of an integer or bool expression; infinite ends where nothing is known. */
ir_interval ir_bound(ir_analyzer *az, const ir_node *expr);
ir_modular_set ir_modular(ir_analyzer *az, const ir_node *expr);

/* Is a sum, difference or product of integers proved not to wrap, its operands being what they are? */
bool ir_bin_exact(ir_analyzer *az, const ir_bin *n);
/* Is every lane of expr known to be a multiple of `factor` (> 0)? */
bool ir_divisible(ir_analyzer *az, const ir_node *expr, int64_t factor);

#endif
