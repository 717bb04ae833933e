/* ingot_program_run: tensors in the host's memory, on the software device and on one that needs copies; and the call by
 * tvm-ffi's values. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ingot/ingot.h"

#define SCRIPT                                                                                     \
    "@T.prim_func\n"                                                                               \
    "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\"), s: T.float32):\n"   \
    "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"                                \
    "        B[tx] = A[tx] * s\n"

typedef struct rig {
    ingot_module *module;
    ingot_device *device;
    ingot_stream *stream;
    ingot_program *program;
} rig;

static int64_t eight[1] = {8};

static DLTensor tensor(void *data)
{
    return (DLTensor){data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, eight, NULL, 0};
}

static void open_rig(rig *r, const char *kind)
{
    ingot_error error;
    if (ingot_compile(SCRIPT, strlen(SCRIPT), NULL, &r->module, &error) != INGOT_OK) fail_msg("%s", error.message);
    assert_int_equal(ingot_device_open(kind, 0, 1, NULL, &r->device, &error), INGOT_OK);
    assert_int_equal(ingot_stream_create(r->device, &r->stream, &error), INGOT_OK);
    assert_int_equal(ingot_program_load(r->module, r->device, &r->program, &error), INGOT_OK);
}

static void close_rig(rig *r)
{
    ingot_program_release(r->program);
    ingot_stream_release(r->stream);
    ingot_device_release(r->device);
    ingot_module_release(r->module);
}

static ingot_status run(rig *r, const DLTensor *a, const DLTensor *b, ingot_error *error)
{
    ingot_value args[3] = {ingot_tensor(a), ingot_tensor(b), ingot_float(3)};
    return ingot_program_run(r->program, "main", args, 3, r->stream, NULL, error);
}

static void refused(rig *r, const DLTensor *a, const DLTensor *b, const char *text)
{
    ingot_error error;
    assert_int_not_equal(run(r, a, b, &error), INGOT_OK);
    if (strstr(error.message, text) == NULL) fail_msg("%s", error.message);
}

static void test_in_place(void **state)
{
    (void)state;
    rig r;
    ingot_error error;
    open_rig(&r, "emu");
    float a[8], b[10] = {0};
    for (int i = 0; i < 8; ++i) a[i] = (float)i;
    b[8] = b[9] = -1.0f; /* what lies beyond stays */
    DLTensor ta = tensor(a), tb = tensor(b);
    assert_int_equal(run(&r, &ta, &tb, &error), INGOT_OK);
    for (int i = 0; i < 8; ++i) assert_true(b[i] == 3.0f * (float)i);
    assert_true(b[8] == -1.0f && b[9] == -1.0f);
    /* The same array as both, and pinned memory. */
    ta.device.device_type = kDLCUDAHost;
    assert_int_equal(run(&r, &ta, &ta, &error), INGOT_OK);
    for (int i = 0; i < 8; ++i) assert_true(a[i] == 3.0f * (float)i);
    close_rig(&r);
}

static void test_mixed_with_device_memory(void **state)
{
    (void)state;
    rig r;
    ingot_error error;
    open_rig(&r, "emu");
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {0};
    ingot_buffer *buffer;
    assert_int_equal(ingot_buffer_create(r.device, sizeof b, &buffer, &error), INGOT_OK);
    DLTensor ta = tensor(a), tb = tensor(buffer);
    tb.device.device_type = kDLMetal;
    assert_int_equal(run(&r, &ta, &tb, &error), INGOT_OK);
    assert_int_equal(ingot_buffer_read(buffer, 0, b, sizeof b, r.stream, &error), INGOT_OK);
    for (int i = 0; i < 8; ++i) assert_true(b[i] == 3.0f * (float)(i + 1));
    ingot_buffer_release(buffer);
    close_rig(&r);
}

static void test_refused(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, "emu");
    float a[16] = {0};
    char bytes[64];
    DLTensor whole = tensor(a), shifted = tensor(a + 4), odd = tensor(bytes + ((uintptr_t)bytes % 2 == 0)), other = tensor(a + 8);
    refused(&r, &whole, &shifted, "arguments A and B overlap, and one of them is written");
    refused(&r, &whole, &odd, "argument B: the tensor's data is not aligned to its elements' 4 bytes");
    int64_t step[1] = {2}, huge[1] = {INT64_MAX}, less[1] = {-1}, seven[1] = {7};
    other.strides = step;
    refused(&r, &whole, &other, "to be compact array");
    other.strides = NULL;
    other.shape = seven;
    refused(&r, &whole, &other, "8, got 7");
    other.shape = huge;
    refused(&r, &whole, &other, "a tensor larger than memory can be");
    other.shape = less;
    refused(&r, &whole, &other, "Invalid B.shape[0]");
    other = tensor(NULL);
    refused(&r, &whole, &other, "B data pointer is NULL");
    other = tensor(a + 8);
    other.ndim = -1;
    refused(&r, &whole, &other, "Mismatched B.ndim");
    other = tensor(a + 8);
    other.device.device_type = kDLCUDA;
    refused(&r, &whole, &other, "metal, got device type 2");
    ingot_error error;
    assert_int_equal(ingot_program_run(r.program, "none", NULL, 0, r.stream, NULL, &error), INGOT_NOT_FOUND);
    assert_int_equal(ingot_program_run(r.program, "main", NULL, 3, r.stream, NULL, &error), INGOT_INVALID_ARGUMENT);
    close_rig(&r);
}

/* The null device runs nothing, but takes copies: what is written comes back as it went. */
static void test_copied(void **state)
{
    (void)state;
    rig r;
    ingot_error error;
    open_rig(&r, "null");
    float a[8] = {1}, b[8] = {5, 6, 7};
    DLTensor ta = tensor(a), tb = tensor(b);
    assert_int_equal(run(&r, &ta, &tb, &error), INGOT_OK);
    assert_true(b[0] == 5.0f && b[1] == 6.0f && b[2] == 7.0f);
    refused(&r, &ta, &ta, "overlap");
    close_rig(&r);
}

/* tvm-ffi's value, written out. */
typedef struct any {
    int32_t tag;
    uint32_t size;
    union {
        double real;
        void *pointer;
    } as;
} any;

static void test_exported(void **state)
{
    (void)state;
    ingot_module *module;
    ingot_text *bytes;
    ingot_exported *exported;
    ingot_error error;
    assert_int_equal(ingot_compile(SCRIPT, strlen(SCRIPT), NULL, &module, &error), INGOT_OK);
    assert_int_equal(ingot_module_save(module, &bytes, &error), INGOT_OK);
    ingot_module_release(module);
    assert_int_equal(ingot_exported_open(ingot_text_data(bytes), ingot_text_size(bytes), &exported, &error), INGOT_OK);
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {0};
    DLTensor ta = tensor(a), tb = tensor(b);
    any args[3] = {{7, 0, {.pointer = &ta}}, {7, 0, {.pointer = &tb}}, {3, 0, {.real = 0.5}}}, result = {9, 9, {0}};
    assert_int_equal(ingot_exported_call(exported, "main", args, 3, &result), 0);
    assert_int_equal(result.tag, 0);
    for (int i = 0; i < 8; ++i) assert_true(b[i] == 0.5f * (float)(i + 1));
    assert_int_equal(ingot_exported_call(exported, "main", args, 2, &result), -1);
    assert_int_equal(ingot_exported_call(exported, "main", args, 1000, &result), -1);
    args[2].tag = 74; /* an object */
    assert_int_equal(ingot_exported_call(exported, "main", args, 3, &result), -1);
    ingot_exported_release(exported);
    ingot_exported_release(NULL);
    assert_int_equal(ingot_exported_open("nothing", 7, &exported, &error), INGOT_FORMAT);
    assert_null(exported);
    ingot_text_release(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_place), cmocka_unit_test(test_mixed_with_device_memory), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_copied),   cmocka_unit_test(test_exported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
