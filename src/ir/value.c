/* Operators, conversions and bits of scalar values. */
#include "ir/value.h"

#include <math.h>

ir_value ir_value_int(ir_type type, int64_t i)
{
    ir_type one = ir_type_element(type);
    return (ir_value){.type = one, .i = ir_type_wrap(one, i)};
}

ir_value ir_value_float(ir_type type, double f)
{
    ir_type one = ir_type_element(type);
    return (ir_value){.type = one, .f = ir_type_round(one, f)};
}

bool ir_value_known(ir_type type)
{
    if (ir_type_is_int(type) || ir_type_is_bool(type)) return true;
    return (type.code == IR_FLOAT && type.bits >= 32) || ir_type_format(type) != NULL;
}

bool ir_value_truth(ir_value v)
{
    return ir_type_is_float(v.type) ? v.f != 0.0 : v.i != 0;
}

static bool is_wide_unsigned(ir_type t)
{
    return t.code == IR_UINT && t.bits == 64;
}

/* -1, 0, 1. */
static int compare_ints(ir_value a, ir_value b)
{
    if (is_wide_unsigned(a.type)) {
        uint64_t x = (uint64_t)a.i, y = (uint64_t)b.i;
        return (x > y) - (x < y);
    }
    return (a.i > b.i) - (a.i < b.i);
}

typedef struct int_division {
    int64_t quotient, remainder; /* rounded toward 0 */
} int_division;

/* The divisor is not 0. INT64_MIN / -1 wraps. */
static int_division divide(ir_value a, ir_value b)
{
    if (is_wide_unsigned(a.type)) {
        uint64_t x = (uint64_t)a.i, y = (uint64_t)b.i;
        return (int_division){(int64_t)(x / y), (int64_t)(x % y)};
    }
    if (b.i == -1) return (int_division){(int64_t)(0 - (uint64_t)a.i), 0};
    return (int_division){a.i / b.i, a.i % b.i};
}

/* Does rounding toward 0 lie above the floor? */
static bool above_floor(ir_value b, int64_t remainder)
{
    return !is_wide_unsigned(b.type) && remainder != 0 && (remainder < 0) != (b.i < 0);
}

static int64_t shift(ir_op op, ir_value a, ir_value b)
{
    /* A negative count is a huge one, as on its unsigned type. */
    bool past = b.i < 0 || b.i >= a.type.bits;
    if (op == IR_SHL) return past ? 0 : (int64_t)((uint64_t)a.i << b.i);
    if (a.type.code == IR_UINT) return past ? 0 : (int64_t)((uint64_t)a.i >> b.i);
    int64_t count = past ? 63 : b.i;
    return a.i < 0 ? ~(~a.i >> count) : a.i >> count;
}

static bool truth_of_order(ir_op op, int order)
{
    switch ((int)op) {
    case IR_EQ: return order == 0;
    case IR_NE: return order != 0;
    case IR_LT: return order < 0;
    case IR_LE: return order <= 0;
    case IR_GT: return order > 0;
    default: return order >= 0;
    }
}

static bool divide_ints(ir_op op, ir_value a, ir_value b, int64_t *out)
{
    if (b.i == 0) return false;
    int_division d = divide(a, b);
    bool above = above_floor(b, d.remainder);
    bool quotient = op == IR_FLOORDIV || op == IR_TRUNCDIV;
    bool floors = op == IR_FLOORDIV || op == IR_FLOORMOD;
    *out = quotient ? d.quotient : d.remainder;
    if (floors && above) *out = quotient ? d.quotient - 1 : d.remainder + b.i;
    return true;
}

static bool bin_ints(ir_op op, ir_value a, ir_value b, ir_value *out)
{
    int64_t r = 0;
    switch (op) {
    case IR_ADD: r = (int64_t)((uint64_t)a.i + (uint64_t)b.i); break;
    case IR_SUB: r = (int64_t)((uint64_t)a.i - (uint64_t)b.i); break;
    case IR_MUL: r = (int64_t)((uint64_t)a.i * (uint64_t)b.i); break;
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD:
        if (!divide_ints(op, a, b, &r)) return false;
        break;
    case IR_MIN: r = compare_ints(a, b) < 0 ? a.i : b.i; break;
    case IR_MAX: r = compare_ints(a, b) > 0 ? a.i : b.i; break;
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: *out = ir_value_int(IR_B1, truth_of_order(op, compare_ints(a, b))); return true;
    case IR_AND: *out = ir_value_int(IR_B1, a.i != 0 && b.i != 0); return true;
    case IR_OR: *out = ir_value_int(IR_B1, a.i != 0 || b.i != 0); return true;
    case IR_BITAND: r = a.i & b.i; break;
    case IR_BITXOR: r = a.i ^ b.i; break;
    case IR_BITOR: r = a.i | b.i; break;
    case IR_SHL:
    case IR_SHR:
        if (ir_type_is_bool(a.type)) return false;
        r = shift(op, a, b);
        break;
    case IR_DIV: return false;
    }
    *out = ir_value_int(a.type, r);
    return true;
}

static double least_or_most(ir_op op, double a, double b)
{
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    if (a == b) return (signbit(a) != 0) == (op == IR_MIN) ? a : b; /* -0 is less than 0 */
    return (a < b) == (op == IR_MIN) ? a : b;
}

static bool truth_of_floats(ir_op op, double a, double b)
{
    switch ((int)op) {
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_LT: return a < b;
    case IR_LE: return a <= b;
    case IR_GT: return a > b;
    default: return a >= b;
    }
}

/* For + - * / of formats of up to 24 bits, double's 53 bits make the second rounding harmless. */
static bool bin_floats(ir_op op, ir_value a, ir_value b, ir_value *out)
{
    double r = 0;
    switch (op) {
    case IR_ADD: r = a.f + b.f; break;
    case IR_SUB: r = a.f - b.f; break;
    case IR_MUL: r = a.f * b.f; break;
    case IR_DIV: r = a.f / b.f; break;
    case IR_MIN:
    case IR_MAX: r = least_or_most(op, a.f, b.f); break;
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: *out = ir_value_int(IR_B1, truth_of_floats(op, a.f, b.f)); return true;
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_TRUNCDIV:
    case IR_TRUNCMOD:
    case IR_AND:
    case IR_OR:
    case IR_BITAND:
    case IR_BITXOR:
    case IR_BITOR:
    case IR_SHL:
    case IR_SHR: return false;
    }
    *out = ir_value_float(a.type, r);
    return true;
}

bool ir_value_bin(ir_op op, ir_value a, ir_value b, ir_value *out)
{
    if (!ir_value_known(a.type) || !ir_type_eq(a.type, b.type)) return false;
    return ir_type_is_float(a.type) ? bin_floats(op, a, b, out) : bin_ints(op, a, b, out);
}

/* An integer as a double whose later rounding to a narrower format is as if from the integer: bits
 * that double cannot hold are folded into the last one that it can. */
static double int_to_double(ir_value a)
{
    bool negative = !is_wide_unsigned(a.type) && a.i < 0;
    uint64_t size = negative ? 0 - (uint64_t)a.i : (uint64_t)a.i;
    if (size >> 53 != 0) {
        uint64_t lost = size & 0x7ff;
        size = (size & ~(uint64_t)0x7ff) | (lost != 0 ? 0x800 : 0);
    }
    return negative ? -(double)size : (double)size;
}

static double int_to_float(ir_type type, ir_value a)
{
    if (type.bits == 64) return is_wide_unsigned(a.type) ? (double)(uint64_t)a.i : (double)a.i;
    return int_to_double(a);
}

static int64_t float_to_int(ir_type type, double f, bool *exact)
{
    *exact = true;
    double whole = trunc(f);
    double least = (double)ir_type_min(type);
    double past = ldexp(1.0, type.code == IR_UINT ? type.bits : type.bits - 1);
    if (whole >= least && whole < past) {
        return type.code == IR_UINT ? (int64_t)(uint64_t)whole : (int64_t)whole;
    }
    *exact = false;
    if (isnan(f)) return 0;
    if (whole < least) return ir_type_min(type);
    return is_wide_unsigned(type) ? -1 : ir_type_max(type);
}

bool ir_value_cast(ir_type type, ir_value a, ir_value *out, bool *exact)
{
    bool sure = true;
    type = ir_type_element(type);
    if (!ir_value_known(type) || !ir_value_known(a.type)) return false;
    bool from_float = ir_type_is_float(a.type);
    if (ir_type_is_float(type)) {
        *out = ir_value_float(type, from_float ? a.f : int_to_float(type, a));
    } else if (ir_type_is_bool(type)) {
        *out = ir_value_int(type, ir_value_truth(a));
    } else {
        *out = ir_value_int(type, from_float ? float_to_int(type, a.f, &sure) : a.i);
    }
    if (exact != NULL) *exact = sure;
    return true;
}

uint64_t ir_value_bits(ir_value v)
{
    if (!ir_type_is_float(v.type)) {
        return v.type.bits >= 64 ? (uint64_t)v.i
                                 : (uint64_t)v.i & (((uint64_t)1 << v.type.bits) - 1);
    }
    if (v.type.bits == 64) return num_double_bits(v.f);
    if (v.type.bits == 32) return num_float_bits((float)v.f);
    const num_format *format = ir_type_format(v.type);
    return format != NULL ? num_encode(format, v.f) : 0;
}

ir_value ir_value_from_bits(ir_type type, uint64_t bits)
{
    ir_value v = {.type = ir_type_element(type)};
    if (!ir_type_is_float(type)) {
        v.i = ir_type_wrap(v.type, (int64_t)bits);
    } else if (type.bits == 64) {
        v.f = num_bits_double(bits);
    } else if (type.bits == 32) {
        v.f = (double)num_bits_float((uint32_t)bits);
    } else {
        const num_format *format = ir_type_format(type);
        v.f = format != NULL ? num_decode(format, (uint32_t)bits) : 0.0;
    }
    return v;
}

bool ir_value_of(const ir_node *n, ir_value *out)
{
    if (n->kind == IR_BROADCAST) n = ir_as_broadcast(n)->a;
    if (n->type.lanes != 1) return false;
    if (n->kind == IR_INT_IMM) {
        *out = (ir_value){.type = n->type, .i = ir_as_int_imm(n)->value};
        return true;
    }
    if (n->kind == IR_FLOAT_IMM) {
        *out = (ir_value){.type = n->type, .f = ir_as_float_imm(n)->value};
        return true;
    }
    return false;
}

const ir_node *ir_value_node(arena *mem, ir_value v, uint32_t lanes, span at)
{
    ir_type type = ir_type_lanes(v.type, lanes);
    return ir_type_is_float(type) ? ir_float_new(mem, type, v.f, at)
                                  : ir_int_new(mem, type, v.i, at);
}
