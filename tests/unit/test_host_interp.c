/* The interpreter of host code: each operator on edge values against the IR's own arithmetic, and control flow. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "host/interp.h"
#include "ir/value.h"

typedef struct op_pair {
    host_op host;
    ir_op ir;
} op_pair;

static const op_pair pairs[] = {
    {HOST_ADD, IR_ADD},           {HOST_SUB, IR_SUB},           {HOST_MUL, IR_MUL},         {HOST_MIN, IR_MIN},
    {HOST_MAX, IR_MAX},           {HOST_FLOORDIV, IR_FLOORDIV}, {HOST_FLOORMOD, IR_FLOORMOD}, {HOST_TRUNCDIV, IR_TRUNCDIV},
    {HOST_TRUNCMOD, IR_TRUNCMOD}, {HOST_BITAND, IR_BITAND},     {HOST_BITOR, IR_BITOR},     {HOST_BITXOR, IR_BITXOR},
    {HOST_SHL, IR_SHL},           {HOST_SHR, IR_SHR},           {HOST_EQ, IR_EQ},           {HOST_NE, IR_NE},
    {HOST_LT, IR_LT},             {HOST_LE, IR_LE},             {HOST_DIV, IR_DIV},
};

/* Runs d = a op b through verified code; false where it fails. */
static bool run_op(host_op op, DLDataType t, DLDataType result, uint64_t a, uint64_t b, host_value *out)
{
    DLDataType regs[3] = {t, t, result};
    uint64_t constants[2] = {a, b};
    host_insn code[] = {{.op = HOST_CONST, .d = 0}, {.op = HOST_CONST, .d = 1, .a = 1}, {.op = (uint8_t)op, .d = 2, .a = 0, .b = 1},
                        {.op = HOST_RETURN, .d = 2}};
    host_function f = {.name = STR("f"), .regs = regs, .reg_count = 3, .constants = constants, .constant_count = 2,
                       .code = code, .code_count = 4, .result = result};
    host_program p = {&f, 1};
    pool mem = pool_make(NULL);
    ingot_error error = {.status = INGOT_OK};
    if (host_verify(&mem, &p, &error) != INGOT_OK) fail_msg("%s", error.message);
    pool_free(&mem);
    host_storage storage;
    host_frame frame;
    assert_int_equal(host_frame_begin(&frame, &f, &storage, NULL, &error), INGOT_OK);
    host_env env = {.budget = 100};
    bool good = host_run(&frame, &env, out, &error) == INGOT_OK;
    host_frame_end(&frame, &storage, NULL);
    return good;
}

static bool is_compare(host_op op)
{
    return op == HOST_EQ || op == HOST_NE || op == HOST_LT || op == HOST_LE;
}

static void test_integers(void **state)
{
    (void)state;
    static const int64_t values[] = {0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 63, 64, 127, -128, 255, 32767, -32768,
                                     INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, 1000003, -1000003};
    static const DLDataType types[] = {{kDLInt, 8, 1},   {kDLInt, 16, 1},  {kDLInt, 32, 1},  {kDLInt, 64, 1},
                                       {kDLUInt, 8, 1}, {kDLUInt, 16, 1}, {kDLUInt, 32, 1}, {kDLUInt, 64, 1}};
    enum { N = sizeof values / sizeof values[0] };
    for (size_t t = 0; t < 8; ++t) {
        ir_type type = {types[t].code, types[t].bits, 1};
        for (size_t i = 0; i < N * N; ++i) {
            ir_value a = ir_value_int(type, values[i / N]), b = ir_value_int(type, values[i % N]), expected;
            for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
                if (pairs[k].host == HOST_DIV) continue;
                bool compare = is_compare(pairs[k].host);
                DLDataType result = compare ? (DLDataType){kDLBool, 8, 1} : types[t];
                host_value got = {.i = 0};
                bool good = run_op(pairs[k].host, types[t], result, (uint64_t)a.i, (uint64_t)b.i, &got);
                bool known = ir_value_bin(pairs[k].ir, a, b, &expected);
                if (good != known || (good && got.i != expected.i)) {
                    fail_msg("op %d, type %zu: %lld, %lld -> %lld", pairs[k].host, t, (long long)a.i, (long long)b.i, (long long)got.i);
                }
            }
        }
    }
}

static void test_floats(void **state)
{
    (void)state;
    const double values[] = {0.0, -0.0, 1.0, -1.5, 3.25, 1e-30, 65504.0, 1e30, 3.4028234663852886e38, (double)INFINITY, -(double)INFINITY, (double)NAN};
    static const DLDataType types[] = {{kDLFloat, 16, 1}, {kDLFloat, 32, 1}, {kDLFloat, 64, 1}, {kDLBfloat, 16, 1}};
    static const host_op ops[] = {HOST_ADD, HOST_SUB, HOST_MUL, HOST_DIV, HOST_MIN, HOST_MAX, HOST_EQ, HOST_NE, HOST_LT, HOST_LE};
    enum { N = sizeof values / sizeof values[0] };
    for (size_t t = 0; t < 4; ++t) {
        ir_type type = {types[t].code, types[t].bits, 1};
        for (size_t i = 0; i < N * N; ++i) {
            ir_value a = ir_value_float(type, values[i / N]), b = ir_value_float(type, values[i % N]), expected;
            for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
                bool wanted = false;
                for (size_t o = 0; o < sizeof ops / sizeof ops[0]; ++o) wanted = wanted || ops[o] == pairs[k].host;
                if (!wanted) continue;
                bool compare = is_compare(pairs[k].host);
                DLDataType result = compare ? (DLDataType){kDLBool, 8, 1} : types[t];
                host_value got = {.i = 0};
                assert_true(run_op(pairs[k].host, types[t], result, num_double_bits(a.f), num_double_bits(b.f), &got));
                assert_true(ir_value_bin(pairs[k].ir, a, b, &expected));
                bool same = compare ? got.i == expected.i : got.f == expected.f || (isnan(got.f) && isnan(expected.f));
                if (!same) fail_msg("op %d, type %zu: %g, %g -> %g", pairs[k].host, t, a.f, b.f, got.f);
            }
        }
    }
}

static void test_casts(void **state)
{
    (void)state;
    static const DLDataType types[] = {{kDLInt, 8, 1},    {kDLInt, 32, 1},   {kDLInt, 64, 1},  {kDLUInt, 8, 1}, {kDLUInt, 32, 1},
                                       {kDLUInt, 64, 1}, {kDLFloat, 16, 1}, {kDLFloat, 32, 1}, {kDLFloat, 64, 1}, {kDLBool, 8, 1}};
    const double values[] = {0.0, 1.0, -1.0, 0.5, -0.75, 127.9, 200.0, -300.0, 3e9, -3e9, 1e19, 1e300, -1e300, (double)NAN, 16777217.0};
    for (size_t from = 0; from < 10; ++from) {
        for (size_t to = 0; to < 10; ++to) {
            for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
                ir_type a = {types[from].code, types[from].bits, 1}, b = {types[to].code, types[to].bits, 1};
                ir_value x = dtype_is_float(types[from]) ? ir_value_float(a, values[i])
                                                         : ir_value_int(a, values[i] > -9e18 && values[i] < 9e18 ? (int64_t)values[i] : 5);
                ir_value expected;
                assert_true(ir_value_cast(b, x, &expected, NULL));
                host_value got = {.i = 0};
                uint64_t bits = dtype_is_float(types[from]) ? num_double_bits(x.f) : (uint64_t)x.i;
                DLDataType regs[2] = {types[from], types[to]};
                host_insn code[] = {{.op = HOST_CONST, .d = 0}, {.op = HOST_CAST, .d = 1, .a = 0}, {.op = HOST_RETURN, .d = 1}};
                host_function f = {.name = STR("f"), .regs = regs, .reg_count = 2, .constants = &bits, .constant_count = 1,
                                   .code = code, .code_count = 3, .result = types[to]};
                host_storage storage;
                host_frame frame;
                assert_int_equal(host_frame_begin(&frame, &f, &storage, NULL, NULL), INGOT_OK);
                host_env env = {.budget = 10};
                assert_int_equal(host_run(&frame, &env, &got, NULL), INGOT_OK);
                bool same = dtype_is_float(types[to]) ? got.f == expected.f || (isnan(got.f) && isnan(expected.f)) : got.i == expected.i;
                if (!same) fail_msg("%zu to %zu of %g: %lld, expected %lld", from, to, values[i], (long long)got.i, (long long)expected.i);
            }
        }
    }
}

/* ---- Control flow and surroundings ---------------------------------------------------------------- */

#define I64 {kDLInt, 64, 1}
#define BOOL {kDLBool, 8, 1}
#define HANDLE {kDLOpaqueHandle, 64, 1}

typedef struct world {
    int64_t launches[8];
    size_t count;
    int live, allocs;
    char memory[4];
} world;

static ingot_status note_launch(void *user, const host_frame *frame, size_t index, ingot_error *error)
{
    (void)error;
    world *w = user;
    const host_launch *l = &frame->function->launches[index];
    if (w->count < 8) w->launches[w->count++] = frame->regs[l->extents[0]].i;
    return INGOT_OK;
}

static ingot_status give_memory(void *user, uint64_t bytes, void **out, ingot_error *error)
{
    (void)error;
    world *w = user;
    if (bytes > 1000) return INGOT_OUT_OF_MEMORY;
    *out = &w->memory[w->allocs++ % 4];
    ++w->live;
    return INGOT_OK;
}

static void take_memory(void *user, void *memory)
{
    (void)memory;
    --((world *)user)->live;
}

/* for i in range(4): if i != 2: t = alloc(8); launch(t, extent i) ; return the sum of i */
static const DLDataType loop_regs[] = {I64, I64, I64, I64, BOOL, BOOL, HANDLE, I64, I64};
static const uint64_t loop_constants[] = {0, 1, 4, 2, 8};
static const host_insn loop_code[] = {
    {.op = HOST_CONST, .d = 0, .a = 0},           /* i = 0 */
    {.op = HOST_CONST, .d = 1, .a = 1},           /* one */
    {.op = HOST_CONST, .d = 2, .a = 2},           /* four */
    {.op = HOST_CONST, .d = 3, .a = 3},           /* two */
    {.op = HOST_CONST, .d = 8, .a = 4},           /* eight */
    {.op = HOST_LT, .d = 4, .a = 0, .b = 2},      /* 5: i < 4 */
    {.op = HOST_UNLESS, .d = 4, .a = 14},
    {.op = HOST_ADD, .d = 7, .a = 7, .b = 0},     /* sum += i */
    {.op = HOST_NE, .d = 5, .a = 0, .b = 3},
    {.op = HOST_UNLESS, .d = 5, .a = 12},
    {.op = HOST_ALLOC, .d = 6, .a = 8, .b = 0},
    {.op = HOST_LAUNCH},
    {.op = HOST_ADD, .d = 0, .a = 0, .b = 1},     /* 12: i += 1 */
    {.op = HOST_JUMP, .a = 5},
    {.op = HOST_RETURN, .d = 7},                  /* 14 */
};
static const uint16_t loop_args[] = {6}, loop_extents[] = {0};
static const host_launch loop_launch = {{"k", 1}, loop_args, 1, loop_extents, 1};
static const host_function loop_function = {.name = {"loop", 4}, .regs = loop_regs, .reg_count = 9, .constants = loop_constants,
                                            .constant_count = 5, .code = loop_code, .code_count = 15, .launches = &loop_launch,
                                            .launch_count = 1, .alloc_count = 1, .result = I64};

static void test_loop(void **state)
{
    (void)state;
    host_program p = {&loop_function, 1};
    pool mem = pool_make(NULL);
    assert_int_equal(host_verify(&mem, &p, NULL), INGOT_OK);
    pool_free(&mem);
    world w = {.count = 0};
    host_env env = {.user = &w, .launch = note_launch, .alloc = give_memory, .free = take_memory};
    host_storage storage;
    host_frame frame;
    host_value result = {.i = 0};
    assert_int_equal(host_frame_begin(&frame, &loop_function, &storage, NULL, NULL), INGOT_OK);
    assert_int_equal(host_run(&frame, &env, &result, NULL), INGOT_OK);
    assert_int_equal(result.i, 6);
    assert_int_equal(w.count, 3);
    assert_int_equal(w.launches[0], 0);
    assert_int_equal(w.launches[1], 1);
    assert_int_equal(w.launches[2], 3);
    assert_int_equal(w.allocs, 3);
    assert_int_equal(w.live, 0);
}

static void test_endless(void **state)
{
    (void)state;
    static const host_insn code[] = {{.op = HOST_JUMP, .a = 0}};
    host_function f = {.name = STR("f"), .code = code, .code_count = 1, .result = {kDLOpaqueHandle, 0, 0}};
    host_storage storage;
    host_frame frame;
    ingot_error error;
    host_env env = {.budget = 1000};
    assert_int_equal(host_frame_begin(&frame, &f, &storage, NULL, NULL), INGOT_OK);
    assert_int_equal(host_run(&frame, &env, NULL, &error), INGOT_LIMIT);
    assert_string_equal(error.message, "host function \"f\" has not ended after 1000 steps");
}

static void test_assert(void **state)
{
    (void)state;
    static const DLDataType regs[] = {BOOL};
    static const host_insn code[] = {{.op = HOST_ASSERT, .d = 0, .a = 1}, {.op = HOST_END}};
    const host_message messages[] = {{STR("RuntimeError"), STR("no")}, {STR("ValueError"), STR("n must be even")}};
    host_function f = {.name = STR("f"), .regs = regs, .reg_count = 1, .code = code, .code_count = 2, .messages = messages,
                       .message_count = 2, .result = {kDLOpaqueHandle, 0, 0}};
    host_storage storage;
    host_frame frame;
    ingot_error error;
    host_env env = {.budget = 10};
    assert_int_equal(host_frame_begin(&frame, &f, &storage, NULL, NULL), INGOT_OK);
    assert_int_equal(host_run(&frame, &env, NULL, &error), INGOT_VALUE);
    assert_string_equal(error.message, "n must be even");
    frame.regs[0].i = 1;
    assert_int_equal(host_run(&frame, &env, NULL, &error), INGOT_OK);
}

/* ---- Bytes ----------------------------------------------------------------------------------------- */

static void test_round_trip(void **state)
{
    (void)state;
    host_program p = {&loop_function, 1};
    buf first = buf_make(NULL), second = buf_make(NULL);
    host_encode(&p, &first);
    pool mem = pool_make(NULL);
    const host_program *read;
    ingot_error error;
    assert_int_equal(host_decode(&mem, buf_view(&first), &read, &error), INGOT_OK);
    host_encode(read, &second);
    assert_true(str_eq(buf_view(&first), buf_view(&second)));
    for (size_t n = 0; n < first.n; ++n) {
        const host_program *none;
        assert_int_equal(host_decode(&mem, (str){first.p, n}, &none, &error), INGOT_FORMAT);
        assert_null(none);
    }
    pool_free(&mem);
    buf_free(&first);
    buf_free(&second);
}

/* Each single-byte change either is refused or gives code that runs without harm. */
static void test_flipped(void **state)
{
    (void)state;
    host_program p = {&loop_function, 1};
    buf bytes = buf_make(NULL);
    host_encode(&p, &bytes);
    size_t accepted = 0;
    for (size_t i = 0; i < bytes.n * 8; ++i) {
        bytes.p[i / 8] = (char)(bytes.p[i / 8] ^ (1 << i % 8));
        pool mem = pool_make(NULL);
        const host_program *read;
        if (host_decode(&mem, buf_view(&bytes), &read, NULL) == INGOT_OK) {
            ++accepted;
            world w = {.count = 0};
            host_env env = {.user = &w, .launch = note_launch, .alloc = give_memory, .free = take_memory, .budget = 1000};
            host_storage storage;
            host_frame frame;
            assert_int_equal(host_frame_begin(&frame, &read->functions[0], &storage, NULL, NULL), INGOT_OK);
            (void)host_run_checks(&frame, NULL);
            (void)host_run(&frame, &env, NULL, NULL);
            host_frame_end(&frame, &storage, NULL);
            assert_int_equal(w.live, 0);
        }
        pool_free(&mem);
        bytes.p[i / 8] = (char)(bytes.p[i / 8] ^ (1 << i % 8));
    }
    assert_true(accepted > 0);
    buf_free(&bytes);
}

static void refused(host_insn insn)
{
    static const DLDataType regs[] = {I64, I64, BOOL, HANDLE, {kDLInt, 32, 1}, {kDLFloat, 32, 1}};
    static const uint64_t constants[] = {(uint64_t)1 << 40};
    host_function f = {.name = STR("f"), .regs = regs, .reg_count = 6, .constants = constants, .constant_count = 1,
                       .code = &insn, .code_count = 1, .alloc_count = 1, .result = {kDLOpaqueHandle, 0, 0}};
    host_program p = {&f, 1};
    pool mem = pool_make(NULL);
    ingot_error error;
    if (host_verify(&mem, &p, &error) != INGOT_FORMAT) fail_msg("op %u is accepted", insn.op);
    assert_non_null(strstr(error.message, "instruction 0"));
    pool_free(&mem);
}

static void test_refused(void **state)
{
    (void)state;
    refused((host_insn){.op = HOST_OP_COUNT});
    refused((host_insn){.op = HOST_ADD, .d = 0, .a = 1, .b = 4});  /* two types */
    refused((host_insn){.op = HOST_ADD, .d = 0, .a = 1, .b = 6});  /* no such register */
    refused((host_insn){.op = HOST_ADD, .d = 3, .a = 3, .b = 3});  /* pointers */
    refused((host_insn){.op = HOST_SHL, .d = 5, .a = 5, .b = 5});  /* floats */
    refused((host_insn){.op = HOST_CONST, .d = 0, .a = 1});        /* no such constant */
    refused((host_insn){.op = HOST_CONST, .d = 4, .a = 0});        /* does not fit int32 */
    refused((host_insn){.op = HOST_CONST, .d = 3, .a = 0});        /* a pointer out of thin air */
    refused((host_insn){.op = HOST_CAST, .d = 3, .a = 0});
    refused((host_insn){.op = HOST_JUMP, .a = 2});                 /* past the end */
    refused((host_insn){.op = HOST_UNLESS, .d = 0, .a = 0});       /* no bool */
    refused((host_insn){.op = HOST_OFFSET, .d = 3, .a = 3, .b = 4});
    refused((host_insn){.op = HOST_ALLOC, .d = 3, .a = 0, .b = 1});
    refused((host_insn){.op = HOST_LAUNCH});
    refused((host_insn){.op = HOST_ASSERT, .d = 2});
    refused((host_insn){.op = HOST_RETURN, .d = 0});               /* returns nothing */
    refused((host_insn){.op = HOST_MATH, .sub = HOST_MATH_COUNT, .d = 5, .a = 5, .b = 5});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_floats),  cmocka_unit_test(test_casts),
        cmocka_unit_test(test_loop),     cmocka_unit_test(test_endless), cmocka_unit_test(test_assert),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_flipped), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
