/* Making expressions: promotions of two typed operands, constants folded, identities dropped. */
#ifndef IR_FOLD_H
#define IR_FOLD_H

#include "ir/ir.h"

/* The type in which two typed operands meet. float64 > float32 > float16 > bfloat16 > float8 >
 * integers > bool; the wider integer wins, of equal widths the unsigned one; a scalar takes the
 * other's lanes. False where they do not mix: different lane counts, pointers, two kinds of float8.
 */
bool ir_type_unify(ir_type a, ir_type b, ir_type *out);

/* Both operands brought to that type by casts and broadcasts. Python's literals have rules of their
 * own, which are the front end's matter. False: do not mix (nothing is changed). */
bool ir_unify(arena *mem, const ir_node **a, const ir_node **b);

/* The folding makers. Each gives a node with the same value as the plain maker's (ir_bin_new ...)
 * in every case, NaN, infinities, -0.0, wrapping and effects included: constants are computed as
 * the type computes them, and only identities that hold for all values are used. Division by a
 * constant zero stays. Operands of ir_fold_bin have one type. */
const ir_node *ir_fold_bin(arena *mem, ir_op op, const ir_node *a, const ir_node *b);
const ir_node *ir_fold_not(arena *mem, const ir_node *a);
/* `type` with the lanes of `a`, or with more where `a` is a scalar (which is then broadcast). A
 * constant float outside of an integer type's range stays a cast. */
const ir_node *ir_fold_cast(arena *mem, ir_type type, const ir_node *a);
/* Both arms of one type; `cond` a bool, or one a lane. */
const ir_node *ir_fold_select(arena *mem, const ir_node *cond, const ir_node *yes,
                              const ir_node *no);
const ir_node *ir_fold_call(arena *mem, ir_builtin fn, ir_type type, ir_list args, span at);

/* Short helpers for passes. The two operands are unified first; they must mix. */
const ir_node *ir_add(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_sub(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_mul(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_floordiv(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_floormod(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_min(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_max(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_lt(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_le(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_gt(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_ge(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_eq(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_ne(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_and(arena *mem, const ir_node *a, const ir_node *b);
const ir_node *ir_or(arena *mem, const ir_node *a, const ir_node *b);

/* Constants without a place in the source. */
const ir_node *ir_i32(arena *mem, int64_t value);
const ir_node *ir_bool(arena *mem, bool value);
/* An integer constant of the type of `like`. */
const ir_node *ir_int_like(arena *mem, const ir_node *like, int64_t value);

#endif
