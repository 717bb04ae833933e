/* What is known about integer expressions: ranges of variables, assumed conditions, intervals and
 * modular sets.
 *
 * Overflow. Signed integers of 32 or more bits that appear in index arithmetic are taken not to
 * overflow: as in TIR, an index that wraps is a fault of the program. Everything narrower, and unsigned
 * types, wrap, and an interval that leaves such a type falls back to the whole type. A result that
 * could only come about by overflow is never used as a proof: an interval is cut to its type, so that a
 * bound past the type's ends counts as "not known". */
#ifndef IR_BOUND_H
#define IR_BOUND_H

#include "base/map.h"
#include "ir/ir.h"

/* The ends of what int64 can say stand for infinity. */
#define IR_NEG_INF INT64_MIN
#define IR_POS_INF INT64_MAX

/* All values v with min <= v <= max. */
typedef struct ir_interval {
    int64_t min, max;
} ir_interval;

/* All values coeff * k + base; coeff 0: the constant base; coeff 1: anything. 0 <= base < coeff. */
typedef struct ir_modular_set {
    int64_t coeff, base;
} ir_modular_set;

typedef struct ir_fact {
    const ir_node *cond;
    bool negated;
} ir_fact;
VEC_DECLARE(ir_fact_vec, ir_fact)

typedef struct ir_var_range {
    const ir_var *var;
    ir_interval range;
    ir_modular_set modular;
    const ir_node *value; /* what it is bound to, or NULL */
} ir_var_range;
VEC_DECLARE(ir_range_vec, ir_var_range)

/* Over an arena, which must outlive it. Made by ir_analyzer_new. */
typedef struct ir_analyzer {
    arena *mem;
    ir_range_vec ranges; /* later ones hold */
    ir_fact_vec facts;
    map newest;          /* variable -> index + 1 of its newest entry in ranges */
    unsigned depth;      /* of the recursion: deep expressions are answered with "not known" */
    unsigned steps;      /* left for the proof under way */
} ir_analyzer;

/* What ir_analyzer_restore goes back to. */
typedef struct ir_analyzer_mark {
    size_t ranges, facts;
} ir_analyzer_mark;

ir_analyzer *ir_analyzer_new(arena *mem);

/* min <= var < min + extent, for constants and for expressions alike. */
void ir_analyzer_bind(ir_analyzer *az, const ir_var *var, const ir_node *min, const ir_node *extent);
void ir_analyzer_bind_range(ir_analyzer *az, const ir_var *var, int64_t least, int64_t most);
/* var is an immutable name of a value. */
void ir_analyzer_let(ir_analyzer *az, const ir_var *var, const ir_node *value);
/* The condition holds (until restored). */
void ir_analyzer_assume(ir_analyzer *az, const ir_node *cond);
/* The condition does not hold. */
void ir_analyzer_assume_not(ir_analyzer *az, const ir_node *cond);

ir_analyzer_mark ir_analyzer_save(const ir_analyzer *az);
void ir_analyzer_restore(ir_analyzer *az, ir_analyzer_mark mark);

/* Of any lane of an integer or bool expression; [-inf, inf] where nothing is known. */
ir_interval ir_bound(ir_analyzer *az, const ir_node *expr);
ir_modular_set ir_modular(ir_analyzer *az, const ir_node *expr);

/* Is expr known to be a multiple of `factor` (> 0)? */
bool ir_divisible(ir_analyzer *az, const ir_node *expr, int64_t factor);

#endif
