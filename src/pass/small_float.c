/* bfloat16 and float8 by integer arithmetic on float32's bits. No step depends on float32's subnormals, which a GPU
 * may flush to zero. */
#include "pass/small_float.h"

#include <math.h>

#include "ir/fold.h"

/* ---- Expressions that are used several times ----------------------------------------------------- */

enum { MOST_LETS = 6 };

/* Names for values; let_in puts them around the result. */
typedef struct lets {
    arena *mem;
    uint32_t lanes;
    const ir_var *var[MOST_LETS];
    const ir_node *value[MOST_LETS];
    size_t n;
} lets;

static const ir_node *let(lets *l, const char *name, const ir_node *value)
{
    if (value->kind == IR_VAR || value->kind == IR_FLOAT_IMM || value->kind == IR_INT_IMM) return value;
    assert(l->n < MOST_LETS);
    l->var[l->n] = ir_var_new(l->mem, str_of(name), value->type, value->at);
    l->value[l->n] = value;
    return ir_ref(l->mem, l->var[l->n++], value->at);
}

static const ir_node *let_in(const lets *l, const ir_node *body)
{
    for (size_t i = l->n; i-- > 0;) {
        body = ir_make(l->mem, LET, let, body->at, body->type, .var = l->var[i], .value = l->value[i], .body = body);
    }
    return body;
}

/* ---- Makers -------------------------------------------------------------------------------------- */

static const ir_node *u32(const lets *l, uint32_t v)
{
    return ir_int_new(l->mem, ir_type_lanes(IR_U32, l->lanes), v, (span){0});
}

static const ir_node *f32(const lets *l, double v)
{
    return ir_float_new(l->mem, ir_type_lanes(IR_F32, l->lanes), v, (span){0});
}

static const ir_node *op(const lets *l, ir_op o, const ir_node *a, const ir_node *b)
{
    return ir_fold_bin(l->mem, o, a, b);
}

static const ir_node *op_u(const lets *l, ir_op o, const ir_node *a, uint32_t b)
{
    return op(l, o, a, u32(l, b));
}

static const ir_node *choose(const lets *l, const ir_node *cond, const ir_node *yes, const ir_node *no)
{
    return ir_fold_select(l->mem, cond, yes, no);
}

static const ir_node *call(const lets *l, ir_builtin fn, ir_type t, const ir_node *a)
{
    return ir_fold_call(l->mem, fn, ir_type_lanes(t, l->lanes), ir_list_one(l->mem, a), a->at);
}

static const ir_node *as_bits(const lets *l, const ir_node *x)
{
    return call(l, IR_FN_REINTERPRET, IR_U32, x);
}

static const ir_node *as_float(const lets *l, const ir_node *bits)
{
    return call(l, IR_FN_REINTERPRET, IR_F32, bits);
}

static const ir_node *cast(const lets *l, ir_type t, const ir_node *a)
{
    return ir_fold_cast(l->mem, ir_type_lanes(t, l->lanes), a);
}

/* ---- Formats ------------------------------------------------------------------------------------- */

static bool is_nibble(ir_type t)
{
    return t.code == IR_FP4_E2M1FN;
}

bool small_float_known(ir_type t)
{
    if (t.code == IR_BFLOAT || is_nibble(t)) return true;
    return ir_type_is_small_float(t) && t.bits == 8 && ir_type_format(t) != NULL;
}

bool small_float_stored(ir_type t)
{
    return is_nibble(t) ? t.lanes == 2 || t.lanes == 4 : small_float_known(t);
}

ir_type small_float_bits_type(ir_type t)
{
    if (is_nibble(t)) return IR_TYPE(IR_UINT, (uint8_t)(4 * t.lanes));
    t.code = IR_UINT;
    return t;
}

/* The code's sign bit, and the bits below it. */
static uint32_t sign_of(const num_format *f)
{
    return 1u << (f->exponent + f->mantissa);
}

static uint32_t mask_of(const num_format *f)
{
    return sign_of(f) - 1;
}

/* From the code's sign to float32's. */
static uint32_t sign_shift(const num_format *f)
{
    return 31u - (uint32_t)(f->exponent + f->mantissa);
}

/* The code without sign of the largest exponent's first value: infinity where there are infinities. */
static uint32_t top_code(const num_format *f)
{
    return ((1u << f->exponent) - 1) << f->mantissa;
}

static uint32_t largest_code(const num_format *f)
{
    if (f->infinities) return top_code(f) - 1;
    return f->nan_is_ones ? mask_of(f) - 1 : mask_of(f);
}

/* NaN, without sign where that does not belong to it; the largest value where the format has none. */
static uint32_t nan_code(const num_format *f)
{
    if (f->nan_is_negzero) return sign_of(f);
    return f->infinities ? top_code(f) | 1u << (f->mantissa - 1) : mask_of(f);
}

/* ---- Four and eight bits ------------------------------------------------------------------------- */

/* Powers of two: the code is float32's exponent, but for the least, which float32 holds as a subnormal. */
static const ir_node *decode_scale(lets *l, const ir_node *bits)
{
    bits = let(l, "bits", cast(l, IR_U32, bits));
    const ir_node *value = choose(l, op_u(l, IR_EQ, bits, 0), u32(l, 0x00400000), op_u(l, IR_SHL, bits, 23));
    return as_float(l, choose(l, op_u(l, IR_EQ, bits, 0xff), u32(l, 0x7fc00000), value));
}

static const ir_node *decode_code(lets *l, const num_format *f, const ir_node *bits)
{
    if (f->is_scale) return decode_scale(l, bits);
    bits = let(l, "bits", cast(l, IR_U32, bits));
    const ir_node *code = let(l, "code", op_u(l, IR_BITAND, bits, mask_of(f)));
    uint32_t shift = 23u - (uint32_t)f->mantissa, up = (uint32_t)(127 - f->bias) << 23;
    const ir_node *normal = as_float(l, op_u(l, IR_ADD, op_u(l, IR_SHL, code, shift), up));
    const ir_node *tiny = op(l, IR_MUL, cast(l, IR_F32, code), f32(l, ldexp(1.0, 1 - f->bias - f->mantissa)));
    const ir_node *size = choose(l, op_u(l, IR_LT, code, 1u << f->mantissa), tiny, normal);
    if (f->infinities) {
        const ir_node *top = choose(l, op_u(l, IR_EQ, code, top_code(f)), f32(l, HUGE_VAL), f32(l, (double)NAN));
        size = choose(l, op_u(l, IR_LT, code, top_code(f)), size, top);
    } else if (f->nan_is_ones) {
        size = choose(l, op_u(l, IR_EQ, code, mask_of(f)), f32(l, (double)NAN), size);
    }
    const ir_node *sign = op_u(l, IR_SHL, op_u(l, IR_BITAND, bits, sign_of(f)), sign_shift(f));
    const ir_node *value = as_float(l, op(l, IR_BITOR, as_bits(l, size), sign));
    if (f->nan_is_negzero) value = choose(l, op_u(l, IR_EQ, bits, sign_of(f)), f32(l, (double)NAN), value);
    return value;
}

static const ir_node *encode_code(lets *l, const num_format *f, const ir_node *x)
{
    const ir_node *all = let(l, "all", as_bits(l, x));
    if (f->is_scale) return op_u(l, IR_SHR, all, 23); /* of a value of the format */
    const ir_node *size = let(l, "size", op_u(l, IR_BITAND, all, 0x7fffffff));
    uint32_t shift = 23u - (uint32_t)f->mantissa;
    /* Half of the last place, and 1 more where that is odd, then cut: ties go to even. */
    const ir_node *odd = op_u(l, IR_BITAND, op_u(l, IR_SHR, size, shift), 1);
    const ir_node *up = op(l, IR_ADD, op_u(l, IR_ADD, size, (1u << (shift - 1)) - 1), odd);
    const ir_node *normal = op_u(l, IR_SUB, op_u(l, IR_SHR, up, shift), (uint32_t)(127 - f->bias) << f->mantissa);
    /* Below the least normal value: whole steps of the least one. */
    const ir_node *steps = op(l, IR_MUL, as_float(l, size), f32(l, ldexp(1.0, f->bias - 1 + f->mantissa)));
    uint32_t least = num_float_bits(ldexpf(1.0f, 1 - f->bias));
    const ir_node *is_tiny = op_u(l, IR_LT, size, least);
    steps = choose(l, is_tiny, steps, f32(l, 0)); /* keeps the conversion in range */
    const ir_node *tiny = cast(l, IR_U32, call(l, IR_FN_ROUND, IR_F32, steps));
    const ir_node *code = let(l, "code", choose(l, is_tiny, tiny, normal));
    const ir_node *sign = op_u(l, IR_BITAND, op_u(l, IR_SHR, all, sign_shift(f)), sign_of(f));
    if (f->nan_is_negzero) sign = choose(l, op_u(l, IR_EQ, code, 0), u32(l, 0), sign);
    uint32_t beyond = f->infinities ? top_code(f) : nan_code(f);
    const ir_node *over = u32(l, beyond), *nan = u32(l, nan_code(f));
    const ir_node *signed_code = op(l, IR_BITOR, code, sign);
    if (!f->nan_is_negzero) over = op(l, IR_BITOR, over, sign);
    const ir_node *value = choose(l, op_u(l, IR_GT, code, largest_code(f)), over, signed_code);
    return choose(l, op_u(l, IR_GT, size, 0x7f800000), nan, value);
}

/* ---- Nibbles in a word --------------------------------------------------------------------------- */

/* The lowest bits are the first element's. */
static const ir_node *spread(lets *l, const ir_node *word)
{
    word = let(l, "word", ir_fold_cast(l->mem, IR_U32, word));
    ir_node_vec parts = {0}, index = {0};
    for (uint32_t i = 0; i < l->lanes; ++i) {
        const ir_node *moved = ir_fold_bin(l->mem, IR_SHR, word, ir_int_new(l->mem, IR_U32, 4 * i, word->at));
        ir_node_vec_push(l->mem, &parts, ir_fold_bin(l->mem, IR_BITAND, moved, ir_int_new(l->mem, IR_U32, 15, word->at)));
        ir_node_vec_push(l->mem, &index, ir_int_new(l->mem, IR_I32, i, word->at));
    }
    return ir_make(l->mem, SHUFFLE, shuffle, word->at, ir_type_lanes(IR_U32, l->lanes), .vectors = ir_list_of(parts),
                   .index = ir_list_of(index));
}

static const ir_node *gather(lets *l, const ir_node *codes)
{
    codes = let(l, "codes", codes);
    const ir_node *word = NULL;
    for (uint32_t i = 0; i < l->lanes; ++i) {
        const ir_node *one = ir_make(l->mem, SHUFFLE, shuffle, codes->at, IR_U32, .vectors = ir_list_one(l->mem, codes),
                                     .index = ir_list_one(l->mem, ir_int_new(l->mem, IR_I32, i, codes->at)));
        one = ir_fold_bin(l->mem, IR_SHL, one, ir_int_new(l->mem, IR_U32, 4 * i, codes->at));
        word = word == NULL ? one : ir_fold_bin(l->mem, IR_BITOR, word, one);
    }
    return word;
}

/* ---- bfloat16 ------------------------------------------------------------------------------------ */

static const ir_node *round16(lets *l, const ir_node *x)
{
    const ir_node *all = let(l, "all", as_bits(l, x));
    const ir_node *odd = op_u(l, IR_BITAND, op_u(l, IR_SHR, all, 16), 1);
    const ir_node *up = op(l, IR_ADD, op_u(l, IR_ADD, all, 0x7fff), odd);
    const ir_node *is_nan = op_u(l, IR_GT, op_u(l, IR_BITAND, all, 0x7fffffff), 0x7f800000);
    return choose(l, is_nan, u32(l, 0x7fc00000), op_u(l, IR_BITAND, up, 0xffff0000));
}

/* ---- Both ---------------------------------------------------------------------------------------- */

static lets begin(arena *mem, ir_type t)
{
    return (lets){.mem = mem, .lanes = t.lanes};
}

const ir_node *small_float_decode(arena *mem, ir_type t, const ir_node *bits)
{
    lets l = begin(mem, t);
    if (t.code == IR_BFLOAT) return as_float(&l, op_u(&l, IR_SHL, cast(&l, IR_U32, bits), 16));
    if (is_nibble(t) && t.lanes > 1) bits = spread(&l, bits);
    return let_in(&l, decode_code(&l, ir_type_format(t), bits));
}

/* The codes, one a lane, as uint32. */
static const ir_node *codes_of(lets *l, ir_type t, const ir_node *x)
{
    return encode_code(l, ir_type_format(t), x);
}

const ir_node *small_float_encode(arena *mem, ir_type t, const ir_node *x)
{
    lets l = begin(mem, t);
    if (t.code == IR_BFLOAT) {
        return let_in(&l, cast(&l, ir_type_element(small_float_bits_type(t)), op_u(&l, IR_SHR, round16(&l, x), 16)));
    }
    const ir_node *codes = codes_of(&l, t, x);
    if (is_nibble(t) && t.lanes > 1) return let_in(&l, ir_fold_cast(mem, small_float_bits_type(t), gather(&l, codes)));
    return let_in(&l, cast(&l, ir_type_element(small_float_bits_type(t)), codes));
}

const ir_node *small_float_round(arena *mem, ir_type t, const ir_node *x)
{
    lets l = begin(mem, t);
    if (t.code == IR_BFLOAT) return let_in(&l, as_float(&l, round16(&l, x)));
    const ir_node *codes = let(&l, "rounded", codes_of(&l, t, x));
    lets inner = begin(mem, t);
    return let_in(&l, let_in(&inner, decode_code(&inner, ir_type_format(t), codes)));
}

const ir_node *small_float_exact_bits(arena *mem, ir_type t, const ir_node *x)
{
    lets l = begin(mem, t);
    ir_type out = ir_type_element(small_float_bits_type(t));
    if (t.code == IR_BFLOAT) return cast(&l, out, op_u(&l, IR_SHR, as_bits(&l, x), 16));
    return small_float_encode(mem, t, x);
}
