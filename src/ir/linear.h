/* Linear forms: an integer expression as a sum of atoms times constants, and a constant. */
#ifndef IR_LINEAR_H
#define IR_LINEAR_H

#include "ir/ir.h"

enum { IR_LINEAR_TERMS = 24 };

/* An atom is an expression that is no sum, difference or product by a constant. No two atoms of a
 * form are equal, no coefficient is 0, and no number is INT64_MIN. Terms stand in the order in
 * which they first appeared. */
typedef struct ir_term {
    const ir_node *atom;
    int64_t coeff;
} ir_term;

typedef struct ir_linear {
    size_t n;
    int64_t constant;
    ir_term terms[IR_LINEAR_TERMS];
} ir_linear;

/* 64-bit arithmetic that says whether it was exact. */
bool ir_add_exact(int64_t a, int64_t b, int64_t *out);
bool ir_mul_exact(int64_t a, int64_t b, int64_t *out);
/* Rounding toward -inf, the divisor positive. */
int64_t ir_div_floor(int64_t a, int64_t b);
int64_t ir_mod_floor(int64_t a, int64_t b);
/* Of the absolute values; 0 for (0, 0). */
int64_t ir_gcd(int64_t a, int64_t b);

/* The form of an integer expression, coefficients wrapped to the signed range of its type (which is
 * right modulo 2^bits). False where it has too many terms or is no integer scalar or vector. */
bool ir_linear_of(const ir_node *expr, ir_linear *out);

/* l += atom * coeff; l += other * scale. False on overflow or too many terms (l is then spoilt). */
bool ir_linear_term(ir_linear *l, const ir_node *atom, int64_t coeff);
bool ir_linear_add(ir_linear *l, const ir_linear *other, int64_t scale);

/* Joins quotients and remainders of one expression: x//c*c + x%c is x, and the like. */
void ir_linear_join(arena *mem, ir_linear *l);

/* The form as an expression of the given type: terms in order, the constant last, no negative first
 * term where it can be helped. */
const ir_node *ir_linear_node(arena *mem, const ir_linear *l, ir_type type, span at);

/* x // c and x % c as nodes, for positive constants; c = 1 is folded. */
const ir_node *ir_quotient(arena *mem, const ir_node *x, int64_t c);
const ir_node *ir_remainder(arena *mem, const ir_node *x, int64_t c);

#endif
