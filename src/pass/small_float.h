/* Formulas for floats of 4, 8 and 16 bits that MSL does not have: from their bits to float32 and back. */
#ifndef PASS_SMALL_FLOAT_H
#define PASS_SMALL_FLOAT_H

#include "ir/ir.h"

/* bfloat16, float4 and the 8-bit formats, of any number of lanes. */
bool small_float_known(ir_type t);

/* Is it one whose values memory can hold? Of float4, two or four at a time fill whole bytes. */
bool small_float_stored(ir_type t);

/* The unsigned integer that holds such a value's bits; one for all lanes of float4. */
ir_type small_float_bits_type(ir_type t);

/* The float32 value of the bits, exactly. */
const ir_node *small_float_decode(arena *mem, ir_type t, const ir_node *bits);

/* The bits of the nearest value of `t`, ties to even, as num_encode has it; NaN gives the format's quiet one. */
const ir_node *small_float_encode(arena *mem, ir_type t, const ir_node *x);

/* A float32 rounded to a value of `t`. */
const ir_node *small_float_round(arena *mem, ir_type t, const ir_node *x);

/* The bits of a float32 that is a value of `t` already. */
const ir_node *small_float_exact_bits(arena *mem, ir_type t, const ir_node *x);

#endif
