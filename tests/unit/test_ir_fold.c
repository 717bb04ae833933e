/* Promotions, constant folding and what operators mean on values. */
#include "ir/value.h"
#include "pass_help.h"

#include <math.h>

#define TY(c, bits) IR_TYPE(IR_##c, bits)

static const ir_node *num(bench *b, ir_type t, double v)
{
    return ir_type_is_float(t) ? ir_float_new(b->mem, t, v, (span){0})
                               : ir_int_new(b->mem, t, (int64_t)v, (span){0});
}

/* ---- Promotion ---------------------------------------------------------------------------------
 */

static void unifies(ir_type a, ir_type b, ir_type expected)
{
    ir_type ab = IR_VOID, ba = IR_VOID;
    assert_true(ir_type_unify(a, b, &ab) && ir_type_unify(b, a, &ba));
    assert_true(ir_type_eq(ab, expected) && ir_type_eq(ba, expected));
}

static void test_unify_types(void **state)
{
    (void)state;
    ir_type bf16 = TY(BFLOAT, 16), e4m3 = TY(FP8_E4M3FN, 8), f64 = TY(FLOAT, 64), unused;
    unifies(IR_F32, IR_F16, IR_F32);
    unifies(IR_F32, f64, f64);
    unifies(IR_F16, bf16, IR_F16);
    unifies(bf16, e4m3, bf16);
    unifies(e4m3, IR_I32, e4m3);
    unifies(IR_F16, IR_I64, IR_F16);
    unifies(IR_I32, IR_U32, IR_U32);
    unifies(IR_I64, IR_U32, IR_I64);
    unifies(TY(INT, 8), TY(UINT, 16), TY(UINT, 16));
    unifies(IR_B1, TY(INT, 8), TY(INT, 8));
    unifies(IR_B1, IR_B1, IR_B1);
    unifies(ir_type_lanes(IR_F16, 4), IR_F32, ir_type_lanes(IR_F32, 4));
    assert_false(ir_type_unify(ir_type_lanes(IR_I32, 4), ir_type_lanes(IR_I32, 2), &unused));
    assert_false(ir_type_unify(IR_POINTER, IR_I32, &unused));
    assert_false(ir_type_unify(e4m3, TY(FP8_E5M2, 8), &unused));
    assert_false(ir_type_unify(IR_VOID, IR_F32, &unused));
}

/* ---- Integers ----------------------------------------------------------------------------------
 */

static void int_is(ir_op op, ir_type t, int64_t a, int64_t c, int64_t expected)
{
    ir_value r;
    assert_true(ir_value_bin(op, ir_value_int(t, a), ir_value_int(t, c), &r));
    if (r.i != expected)
        fail_msg("%s: %lld, not %lld", ir_ops[op].script, (long long)r.i, (long long)expected);
}

static void test_integers(void **state)
{
    (void)state;
    ir_value r;
    int_is(IR_ADD, IR_I32, INT32_MAX, 1, INT32_MIN);
    int_is(IR_MUL, IR_I32, 65536, 65536, 0);
    int_is(IR_SUB, IR_U32, 0, 1, 4294967295);
    int_is(IR_ADD, TY(UINT, 8), 250, 10, 4);
    int_is(IR_ADD, IR_I64, INT64_MAX, 1, INT64_MIN);
    /* Floor and truncation over the four signs. */
    int_is(IR_FLOORDIV, IR_I32, 7, 2, 3);
    int_is(IR_FLOORDIV, IR_I32, -7, 2, -4);
    int_is(IR_FLOORDIV, IR_I32, 7, -2, -4);
    int_is(IR_FLOORDIV, IR_I32, -7, -2, 3);
    int_is(IR_FLOORMOD, IR_I32, -7, 2, 1);
    int_is(IR_FLOORMOD, IR_I32, 7, -2, -1);
    int_is(IR_FLOORMOD, IR_I32, -8, 2, 0);
    int_is(IR_TRUNCDIV, IR_I32, -7, 2, -3);
    int_is(IR_TRUNCMOD, IR_I32, -7, 2, -1);
    int_is(IR_FLOORDIV, IR_I32, INT32_MIN, -1, INT32_MIN);
    int_is(IR_FLOORDIV, IR_I64, INT64_MIN, -1, INT64_MIN);
    int_is(IR_FLOORMOD, IR_I64, INT64_MIN, -1, 0);
    int_is(IR_FLOORDIV, TY(UINT, 64), -1, 2, INT64_MAX); /* 2^64 - 1 halved */
    int_is(IR_MAX, TY(UINT, 64), -1, 5, -1);
    int_is(IR_LT, TY(UINT, 64), 5, -1, 1);
    int_is(IR_SHL, IR_I32, 1, 31, INT32_MIN);
    int_is(IR_SHL, IR_I32, 1, 32, 0);
    int_is(IR_SHR, IR_I32, -8, 1, -4);
    int_is(IR_SHR, IR_I32, -8, 99, -1);
    int_is(IR_SHR, IR_U32, 8, 99, 0);
    int_is(IR_SHR, IR_I32, -1, -1, -1);
    assert_false(ir_value_bin(IR_FLOORDIV, ir_value_int(IR_I32, 1), ir_value_int(IR_I32, 0), &r));
    assert_false(ir_value_bin(IR_TRUNCMOD, ir_value_int(IR_I32, 1), ir_value_int(IR_I32, 0), &r));
    assert_false(ir_value_bin(IR_DIV, ir_value_int(IR_I32, 1), ir_value_int(IR_I32, 1), &r));
}

/* ---- Floats ------------------------------------------------------------------------------------
 */

static double float_is(ir_op op, ir_type t, double a, double c)
{
    ir_value r;
    assert_true(ir_value_bin(op, ir_value_float(t, a), ir_value_float(t, c), &r));
    return r.f;
}

static void test_floats(void **state)
{
    (void)state;
    double nan_value = (double)NAN;
    assert_true(float_is(IR_ADD, IR_F32, 16777216.0, 1.0) == 16777216.0);
    assert_true(float_is(IR_ADD, IR_F16, 2048.0, 1.0) == 2048.0);
    assert_true(float_is(IR_ADD, IR_F32, 0.1, 0.2) == (double)(0.1f + 0.2f));
    assert_true(isinf(float_is(IR_MUL, IR_F16, 300.0, 300.0)));
    assert_true(isnan(float_is(IR_MIN, IR_F32, nan_value, 1.0)) &&
                isnan(float_is(IR_MAX, IR_F32, 1.0, nan_value)));
    assert_true(signbit(float_is(IR_MIN, IR_F32, 0.0, -0.0)) &&
                !signbit(float_is(IR_MAX, IR_F32, -0.0, 0.0)));
    ir_value r;
    assert_true(ir_value_bin(IR_NE, ir_value_float(IR_F32, nan_value),
                             ir_value_float(IR_F32, nan_value), &r) &&
                r.i == 1);
    assert_true(
        ir_value_bin(IR_LE, ir_value_float(IR_F32, nan_value), ir_value_float(IR_F32, 1.0), &r) &&
        r.i == 0);
}

/* ---- Casts -------------------------------------------------------------------------------------
 */

static ir_value cast(ir_type to, ir_value v, bool exact)
{
    ir_value r;
    bool sure;
    assert_true(ir_value_cast(to, v, &r, &sure));
    assert_int_equal(sure, exact);
    return r;
}

static void test_casts(void **state)
{
    (void)state;
    assert_int_equal(cast(IR_I32, ir_value_float(IR_F32, -2.75), true).i, -2);
    assert_int_equal(cast(TY(INT, 8), ir_value_int(IR_I32, 300), true).i, 44);
    assert_int_equal(cast(IR_I32, ir_value_float(IR_F32, 3e9), false).i, INT32_MAX);
    assert_int_equal(cast(IR_U32, ir_value_float(IR_F32, 3e9), true).i, 3000000000);
    assert_int_equal(cast(IR_U32, ir_value_float(IR_F32, -1.0), false).i, 0);
    assert_int_equal(cast(IR_I32, ir_value_float(IR_F32, (double)NAN), false).i, 0);
    assert_int_equal(cast(IR_B1, ir_value_float(IR_F32, 0.5), true).i, 1);
    assert_int_equal(cast(IR_B1, ir_value_int(IR_I32, 256), true).i, 1);
    assert_true(cast(IR_F32, ir_value_int(TY(UINT, 64), -1), true).f == 18446744073709551616.0);
    /* One rounding, not two: by way of double this would be a tie and go down to 2^54. */
    assert_true(
        cast(IR_F32, ir_value_int(IR_I64, ((int64_t)1 << 54) + ((int64_t)1 << 30) + 1), true).f ==
        ldexp(1.0, 54) + ldexp(1.0, 31));
    assert_true(cast(IR_F16, ir_value_int(IR_I32, 2049), true).f == 2048.0);
}

/* ---- Builtins ----------------------------------------------------------------------------------
 */

static double call1(ir_builtin fn, ir_type t, double x)
{
    ir_value a = ir_value_float(t, x), r;
    assert_true(ir_value_call(fn, t, &a, 1, &r));
    return r.f;
}

static int64_t int1(ir_builtin fn, ir_type result, ir_type t, int64_t x)
{
    ir_value a = ir_value_int(t, x), r;
    assert_true(ir_value_call(fn, result, &a, 1, &r));
    return r.i;
}

static void test_builtins(void **state)
{
    (void)state;
    assert_true(call1(IR_FN_CEIL, IR_F32, 4194304.25) ==
                4194304.0); /* the float is a whole number already */
    assert_true(call1(IR_FN_ROUND, IR_F32, 2.5) == 2.0 && call1(IR_FN_ROUND, IR_F32, 3.5) == 4.0);
    assert_true(call1(IR_FN_EXP2, IR_F16, 10.0) == 1024.0 &&
                isinf(call1(IR_FN_EXP2, IR_F16, 16.0)));
    assert_true(call1(IR_FN_RSQRT, IR_F32, 4.0) == 0.5 && call1(IR_FN_SIGMOID, IR_F32, 0.0) == 0.5);
    assert_true(isnan(call1(IR_FN_SQRT, IR_F32, -1.0)) && signbit(call1(IR_FN_SQRT, IR_F32, -0.0)));
    assert_int_equal(int1(IR_FN_ABS, IR_I32, IR_I32, INT32_MIN), INT32_MIN);
    assert_int_equal(int1(IR_FN_POPCOUNT, IR_I32, IR_I32, -1), 32);
    assert_int_equal(int1(IR_FN_CLZ, IR_I32, TY(UINT, 8), 1), 7);
    assert_int_equal(int1(IR_FN_CLZ, IR_I32, IR_I64, 0), 64);
    assert_int_equal(int1(IR_FN_BITNOT, TY(UINT, 8), TY(UINT, 8), 0x0f), 0xf0);
    ir_value one = ir_value_float(IR_F32, 1.0), r;
    assert_true(ir_value_call(IR_FN_REINTERPRET, IR_I32, &one, 1, &r) && r.i == 0x3f800000);
    ir_value up[] = {ir_value_float(IR_F16, 1.0), ir_value_float(IR_F16, 2.0)};
    assert_true(ir_value_call(IR_FN_NEXTAFTER, IR_F16, up, 2, &r) && r.f == 1.0 + 1.0 / 1024);
    ir_value down[] = {ir_value_float(IR_F32, 0.0), ir_value_float(IR_F32, -1.0)};
    assert_true(ir_value_call(IR_FN_NEXTAFTER, IR_F32, down, 2, &r) && r.f == -ldexp(1.0, -149));
    /* The product's low bits decide: 1 + 2^-23 squared, less 1 + 2^-22, is 2^-46. */
    double e = 1.0 + ldexp(1.0, -23);
    ir_value fused[] = {ir_value_float(IR_F32, e), ir_value_float(IR_F32, e),
                        ir_value_float(IR_F32, -1.0 - ldexp(1.0, -22))};
    assert_true(ir_value_call(IR_FN_FMA, IR_F32, fused, 3, &r) && r.f == ldexp(1.0, -46));
    assert_false(ir_value_call(IR_FN_STORAGE_SYNC, IR_I32, &one, 1, &r));
}

/* ---- Folding makers ----------------------------------------------------------------------------
 */

BENCH_TEST(test_identities)
{
    const ir_node *x = mk_ref(b, mk_var(b, "x", IR_I32)), *f = mk_ref(b, mk_var(b, "f", IR_F32));
    const ir_node *p = mk_ref(b, mk_var(b, "p", IR_B1)), *yes = ir_bool(b->mem, true),
                  *no = ir_bool(b->mem, false);
    const ir_node *zero = num(b, IR_F32, 0.0), *minus_zero = num(b, IR_F32, -0.0);
    assert_ptr_equal(ir_add(b->mem, x, ir_i32(b->mem, 0)), x);
    assert_ptr_equal(ir_add(b->mem, ir_i32(b->mem, 0), x), x);
    assert_true(ir_is_const(ir_mul(b->mem, x, ir_i32(b->mem, 0)), 0));
    assert_true(ir_is_const(ir_sub(b->mem, x, x), 0));
    assert_true(ir_is_const(ir_floormod(b->mem, x, ir_i32(b->mem, 1)), 0));
    assert_int_equal(ir_floordiv(b->mem, ir_i32(b->mem, 4), ir_i32(b->mem, 0))->kind, IR_BIN);
    assert_ptr_equal(ir_and(b->mem, yes, p), p);
    assert_ptr_equal(ir_or(b->mem, no, p), p);
    assert_true(ir_is_const(ir_and(b->mem, p, no), 0));
    /* Floats: only what holds for NaN, infinities and both zeros. */
    assert_int_equal(ir_add(b->mem, f, zero)->kind, IR_BIN);
    assert_ptr_equal(ir_add(b->mem, f, minus_zero), f);
    assert_ptr_equal(ir_sub(b->mem, f, zero), f);
    assert_int_equal(ir_mul(b->mem, f, zero)->kind, IR_BIN);
    assert_int_equal(ir_sub(b->mem, f, f)->kind, IR_BIN);
    assert_int_equal(ir_eq(b->mem, f, f)->kind, IR_BIN);
    assert_ptr_equal(ir_max(b->mem, f, num(b, IR_F32, -(double)INFINITY)), f);
    assert_int_equal(ir_max(b->mem, f, num(b, IR_F32, (double)INFINITY))->kind, IR_BIN);
    assert_ptr_equal(ir_fold_not(b->mem, ir_fold_not(b->mem, p)), p);
    /* What has an effect is not dropped. */
    const ir_node *effect =
        mk_call(b, IR_FN_SIMD_SHUFFLE, IR_I32, 2, (const ir_node *[]){x, ir_i32(b->mem, 0)});
    assert_int_equal(ir_mul(b->mem, effect, ir_i32(b->mem, 0))->kind, IR_BIN);
    /* Mixed operands meet; broadcasts stay outside. */
    const ir_node *mixed = ir_add(b->mem, x, f);
    assert_true(ir_type_eq(mixed->type, IR_F32));
    const ir_node *wide = ir_add(b->mem, ir_broadcast_new(b->mem, x, 4), ir_i32(b->mem, 3));
    assert_int_equal(wide->kind, IR_BROADCAST);
    assert_int_equal(ir_fold_cast(b->mem, IR_I32, num(b, IR_F32, 1e20))->kind, IR_CAST);
    assert_true(ir_is_const(ir_fold_cast(b->mem, IR_I32, num(b, IR_F32, 7.9)), 7));
}

/* Forty doublings are 41 nodes in memory, and 2^40 as a tree. */
BENCH_TEST(test_tree_sizes)
{
    const ir_node *x = mk_ref(b, mk_var(b, "x", IR_F32));
    assert_true(ir_is_moderate(x, 1, 1));
    assert_true(ir_is_moderate(ir_add(b->mem, x, x), 3, 2));
    assert_false(ir_is_moderate(ir_add(b->mem, x, x), 2, 2));
    assert_false(ir_is_moderate(ir_add(b->mem, x, x), 3, 1));
    for (int i = 0; i < 40; ++i) x = ir_add(b->mem, x, x);
    assert_false(ir_is_moderate(x, 100000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unify_types), cmocka_unit_test(test_integers),
        cmocka_unit_test(test_floats),      cmocka_unit_test(test_casts),
        cmocka_unit_test(test_builtins),    cmocka_unit_test(test_identities),
        cmocka_unit_test(test_tree_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
