/* Argument checks: order, kinds and texts. The expected beginnings are what TVM 0.27's host functions say, tried
 * with the same signature. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "host/args.h"

#define F32 {kDLFloat, 32, 1}
#define I32 {kDLInt, 32, 1}
#define HANDLE {kDLOpaqueHandle, 64, 1}
#define SIGNATURE "main(A: Tensor([n, 4], float32), B: Tensor([n, n + 1], float32), x: float32, k: int32)"
#define CALLING " when calling:\n  `" SIGNATURE "`"

/* main(A: (n, 4), B: (n, n + 1), x: float32, k: int32), all compact, offset 0. */
enum { REG_A, REG_B, REG_X, REG_K, REG_N, REG_N1, REG_ONE, REGS };
static const DLDataType regs[REGS] = {HANDLE, HANDLE, F32, I32, I32, I32, I32};
static const uint64_t constants[] = {1};
static const host_insn code[] = {
    {.op = HOST_CONST, .d = REG_ONE}, {.op = HOST_ADD, .d = REG_N1, .a = REG_N, .b = REG_ONE}, {.op = HOST_END}};
#define NO_OFFSET {.kind = HOST_DIM_CONST, .text = {"0", 1}, .shown = {"", 0}}
static const host_dim a_shape[] = {
    {.kind = HOST_DIM_DEFINE, .reg = REG_N, .text = {"n", 1}, .shown = {"", 0}},
    {.kind = HOST_DIM_CONST, .value = 4, .text = {"4", 1}, .shown = {"", 0}}};
static const host_dim b_shape[] = {
    {.kind = HOST_DIM_MATCH, .reg = REG_N, .text = {"n", 1}, .shown = {"A.shape[0]", 10}},
    {.kind = HOST_DIM_EXPR, .reg = REG_N1, .text = {"n + 1", 5}, .shown = {"A.shape[0] + 1", 14}}};
static const host_param params[] = {
    {.kind = INGOT_PARAM_TENSOR, .name = {"A", 1}, .dtype = F32, .reg = REG_A, .shape = a_shape, .ndim = 2, .offset = NO_OFFSET},
    {.kind = INGOT_PARAM_TENSOR, .name = {"B", 1}, .dtype = F32, .reg = REG_B, .shape = b_shape, .ndim = 2, .offset = NO_OFFSET},
    {.kind = INGOT_PARAM_SCALAR, .name = {"x", 1}, .dtype = F32, .reg = REG_X, .offset = NO_OFFSET},
    {.kind = INGOT_PARAM_SCALAR, .name = {"k", 1}, .dtype = I32, .reg = REG_K, .offset = NO_OFFSET}};
static const host_function function = {.name = {"main", 4},
                                       .params = params,
                                       .param_count = 4,
                                       .regs = regs,
                                       .reg_count = REGS,
                                       .constants = constants,
                                       .constant_count = 1,
                                       .code = code,
                                       .code_count = 3,
                                       .checks_end = 2,
                                       .result = {kDLOpaqueHandle, 0, 0}};

/* Two "buffers" of 64 bytes at these addresses. */
static char memory_a, memory_b;

static void *find(void *user, const void *data, size_t *size)
{
    (void)user;
    *size = 64;
    return data == &memory_a ? &memory_a : data == &memory_b ? &memory_b : NULL;
}

/* A good call: n = 2. */
typedef struct call {
    int64_t shape[2][2], strides[2][2];
    DLTensor tensors[2];
    ingot_value values[4];
    host_storage storage;
    host_frame frame;
    ingot_error error;
} call;

static void make(call *c)
{
    memset(c, 0, sizeof *c);
    int64_t shapes[2][2] = {{2, 4}, {2, 3}};
    for (int i = 0; i < 2; ++i) {
        memcpy(c->shape[i], shapes[i], sizeof shapes[i]);
        c->strides[i][0] = shapes[i][1];
        c->strides[i][1] = 1;
        c->tensors[i] = (DLTensor){.data = i == 0 ? &memory_a : &memory_b,
                                   .device = {kDLMetal, 0},
                                   .ndim = 2,
                                   .dtype = {kDLFloat, 32, 1},
                                   .shape = c->shape[i]};
        c->values[i] = ingot_tensor(&c->tensors[i]);
    }
    c->values[2] = ingot_float(1.5);
    c->values[3] = ingot_int(7);
}

static ingot_status bind(call *c, size_t count)
{
    host_device device = {.id = 0, .find = find};
    assert_int_equal(host_frame_begin(&c->frame, &function, &c->storage, NULL, NULL), INGOT_OK);
    ingot_status status = host_bind(&c->frame, c->values, count, &device, &c->error);
    return status;
}

static void fails(call *c, ingot_status status, const char *beginning)
{
    ingot_status got = bind(c, 4);
    if (got != status || strncmp(c->error.message, beginning, strlen(beginning)) != 0) {
        fail_msg("status %d \"%s\", expected %d \"%s\"", (int)got, c->error.message, (int)status, beginning);
    }
}

static void test_good(void **state)
{
    (void)state;
    call c;
    make(&c);
    assert_int_equal(bind(&c, 4), INGOT_OK);
    assert_true(c.frame.regs[REG_X].f == 1.5);
    assert_int_equal(c.frame.regs[REG_K].i, 7);
    assert_int_equal(c.frame.regs[REG_N].i, 2);
    assert_ptr_equal(c.frame.memories[c.frame.regs[REG_A].memory], &memory_a);
    assert_ptr_equal(c.frame.memories[c.frame.regs[REG_B].memory], &memory_b);
    make(&c);
    c.tensors[0].strides = c.strides[0];
    c.values[2] = ingot_int(3);
    c.values[3] = ingot_bool(1);
    assert_int_equal(bind(&c, 4), INGOT_OK);
    assert_true(c.frame.regs[REG_X].f == 3.0);
    assert_int_equal(c.frame.regs[REG_K].i, 1);
}

static void test_types(void **state)
{
    (void)state;
    call c;
    make(&c);
    assert_int_equal(bind(&c, 3), INGOT_TYPE);
    assert_memory_equal(c.error.message, "Expected 4 arguments" CALLING, strlen("Expected 4 arguments" CALLING));
    make(&c);
    c.values[0] = ingot_int(1);
    fails(&c, INGOT_TYPE, "Mismatched type on argument #0" CALLING ",\n  expected Tensor");
    make(&c);
    c.values[0] = ingot_none();
    fails(&c, INGOT_TYPE, "Mismatched type on argument #0" CALLING ",\n  expected Tensor");
    make(&c);
    c.values[2] = ingot_str("x", 1);
    fails(&c, INGOT_TYPE, "Mismatched type on argument #2" CALLING ",\n  expected float");
    make(&c);
    c.values[3] = ingot_float(1.5);
    fails(&c, INGOT_TYPE, "Mismatched type on argument #3" CALLING ",\n  expected int, got float");
    make(&c);
    c.tensors[0].ndim = 1;
    fails(&c, INGOT_VALUE, "Mismatched A.ndim on argument #0" CALLING ",\n  expected 2, got 1");
    make(&c);
    c.tensors[0].dtype.code = kDLInt;
    fails(&c, INGOT_TYPE, "Mismatched A.dtype on argument #0" CALLING ",\n  expected float32, got int32");
    make(&c);
    c.tensors[1].device.device_type = kDLCPU;
    fails(&c, INGOT_VALUE, "Mismatched B.device_type on argument #1" CALLING ",\n  expected metal");
}

static void test_values(void **state)
{
    (void)state;
    call c;
    make(&c);
    c.shape[1][0] = 3;
    fails(&c, INGOT_VALUE, "Mismatched B.shape[0] on argument #1" CALLING ",\n  expected to match A.shape[0]");
    make(&c);
    c.shape[0][1] = 5;
    fails(&c, INGOT_VALUE, "Invalid A.shape[1] on argument #0" CALLING ",\n  expected 4, got 5");
    make(&c);
    c.shape[1][1] = 7;
    fails(&c, INGOT_VALUE, "Invalid B.shape[1] on argument #1" CALLING ",\n  expected A.shape[0] + 1 (3), got 7");
    make(&c);
    c.strides[0][0] = 5;
    c.tensors[0].strides = c.strides[0];
    fails(&c, INGOT_VALUE, "Mismatched A.strides on argument #0" CALLING ",\n  expected to be compact array");
    make(&c);
    c.tensors[1].device.device_id = 1;
    fails(&c, INGOT_VALUE, "Mismatched B.device_id on argument #1" CALLING ",\n  expected to match A.device_id");
    make(&c);
    c.tensors[1].data = NULL;
    fails(&c, INGOT_VALUE, "B data pointer is NULL on argument #1" CALLING ",\n  expected non-NULL data pointer");
    make(&c);
    c.tensors[0].byte_offset = 4;
    fails(&c, INGOT_VALUE, "Invalid A.byte_offset on argument #0" CALLING ",\n  expected 0, got 4");
}

/* Early checks of all arguments come before the others, and constants last of all. */
static void test_order(void **state)
{
    (void)state;
    call c;
    make(&c);
    c.tensors[0].ndim = 1; /* both are early: types of all arguments, then tensors one after the other */
    c.values[3] = ingot_float(1.5);
    fails(&c, INGOT_TYPE, "Mismatched type on argument #3");
    make(&c);
    c.shape[0][1] = 5; /* constant: last */
    c.tensors[1].dtype.bits = 16;
    fails(&c, INGOT_TYPE, "Mismatched B.dtype");
    make(&c);
    c.shape[0][1] = 5;
    c.shape[1][0] = 3;
    fails(&c, INGOT_VALUE, "Mismatched B.shape[0]");
    make(&c);
    c.shape[0][1] = 5;
    c.tensors[1].data = NULL;
    fails(&c, INGOT_VALUE, "B data pointer is NULL");
    make(&c);
    c.tensors[0].device.device_type = kDLCPU;
    c.shape[1][0] = 3;
    fails(&c, INGOT_VALUE, "Mismatched A.device_type");
}

static void test_ranges(void **state)
{
    (void)state;
    call c;
    make(&c);
    c.values[3] = ingot_int((int64_t)1 << 40);
    fails(&c, INGOT_VALUE, "Invalid k on argument #3" CALLING ",\n  expected a value in [-2147483648, 2147483647], got 1099511627776");
    make(&c);
    c.values[3] = ingot_int(INT32_MIN);
    assert_int_equal(bind(&c, 4), INGOT_OK);
    make(&c);
    c.values[2] = ingot_float(1e300);
    fails(&c, INGOT_VALUE, "Invalid x on argument #2" CALLING ",\n  expected a finite value of float32, got 1");
    make(&c);
    c.values[2] = ingot_float((double)INFINITY);
    assert_int_equal(bind(&c, 4), INGOT_OK);
    make(&c);
    c.shape[0][0] = c.shape[1][0] = ((int64_t)1 << 32) + 2;
    fails(&c, INGOT_VALUE, "Invalid A.shape[0] on argument #0" CALLING ",\n  expected a value of int32, got 4294967298");
    make(&c);
    c.shape[0][0] = c.shape[1][0] = -1;
    fails(&c, INGOT_VALUE, "Invalid A.shape[0] on argument #0" CALLING ",\n  expected no negative extent, got -1");
}

static void test_memory(void **state)
{
    (void)state;
    call c;
    make(&c);
    char other;
    c.tensors[1].data = &other;
    fails(&c, INGOT_VALUE, "Invalid B.data on argument #1" CALLING ",\n  expected a live buffer of the program's device");
    make(&c);
    c.shape[0][0] = c.shape[1][0] = 5; /* 5 * 4 * 4 = 80 > 64 bytes */
    c.shape[1][1] = 6;
    fails(&c, INGOT_VALUE, "Invalid A.shape on argument #0" CALLING ",\n  expected the tensor at byte_offset 0 to lie inside its buffer of 64 bytes");
    make(&c);
    c.shape[0][0] = c.shape[1][0] = INT32_MAX; /* sizes past 64 bits */
    c.shape[1][1] = INT32_MIN;
    fails(&c, INGOT_VALUE, "Invalid B.shape[1]");
    make(&c);
    c.shape[0][0] = c.shape[1][0] = 0; /* no elements: no memory is needed */
    c.shape[1][1] = 1;
    c.tensors[0].data = c.tensors[1].data = NULL;
    assert_int_equal(bind(&c, 4), INGOT_OK);
    make(&c);
    c.tensors[0].device.device_id = c.tensors[1].device.device_id = 3;
    fails(&c, INGOT_VALUE, "Invalid A.device_id on argument #0" CALLING ",\n  expected 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),   cmocka_unit_test(test_types),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_order),  cmocka_unit_test(test_ranges), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
