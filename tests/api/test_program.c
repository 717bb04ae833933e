/* labels: quick thread */
/* Programs on the software device by the public header: results, arguments, and faults. */
#include "ingot_test.h"

#include <math.h>

/* B[i] = A[i] * x + y over n elements, n symbolic, y an integer. */
static const char scale[] = SCRIPT_HEAD
    "    def main(a: T.handle, b: T.handle, x: T.float32, y: T.int32):\n"
    "        n = T.int32()\n"
    "        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        B = T.match_buffer(b, (n,), \"float32\")\n"
    "        for i_0 in T.thread_binding((n + 31) // 32, thread=\"blockIdx.x\"):\n"
    "            for i_1 in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
    "                with T.sblock(\"B\"):\n"
    "                    v = T.axis.spatial(n, i_0 * 32 + i_1)\n"
    "                    T.where(i_0 * 32 + i_1 < n)\n"
    "                    B[v] = A[v] * x + T.Cast(\"float32\", y)\n";

static ingot_status call(runner *r, const ingot_value *values, size_t count, ingot_error *error)
{
    return ingot_program_call(r->program, NULL, values, count, r->stream, NULL, error);
}

static void test_symbolic(void **state)
{
    (void)state;
    ingot_module *m = compile_with(scale, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    static const int64_t sizes[] = {1, 31, 32, 33, 1000};
    for (size_t k = 0; k < 5; ++k) {
        float in[1000], out[1000];
        for (int i = 0; i < 1000; ++i) in[i] = (float)i;
        ingot_value values[4] = {run_tensor(&r, type_f32, sizes[k], in), run_tensor(&r, type_f32, sizes[k], NULL), ingot_float(0.5),
                                 ingot_int(-3)};
        check(call(&r, values, 4, &error), &error);
        run_read(&r, r.count - 1, out);
        for (int64_t i = 0; i < sizes[k]; ++i) assert_true(out[i] == (float)i * 0.5F - 3.0F);
    }
    run_close(&r);
    ingot_module_release(m);
}

/* No elements: nothing is launched, and no memory is needed. */
static void test_empty(void **state)
{
    (void)state;
    ingot_module *m = compile_with(scale, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    ingot_value values[4] = {run_tensor(&r, type_f32, 0, NULL), run_tensor(&r, type_f32, 0, NULL), ingot_float(1), ingot_int(1)};
    check(call(&r, values, 4, &error), &error);
    r.tensors[0].data = NULL;
    r.tensors[1].data = NULL;
    check(call(&r, values, 4, &error), &error);
    check(ingot_stream_sync(r.stream, &error), &error);
    run_close(&r);
    ingot_module_release(m);
}

static void refused(runner *r, const ingot_value *values, size_t count, ingot_status status, const char *words)
{
    ingot_error error = {0};
    ingot_status got = call(r, values, count, &error);
    if (got != status || strstr(error.message, words) == NULL) fail_msg("%d \"%s\", expected \"%s\"", (int)got, error.message, words);
}

#define CALLING " when calling:\n  `main(A: Tensor([n], float32), B: Tensor([n], float32), x: float32, y: int32)`"

static void test_arguments(void **state)
{
    (void)state;
    ingot_module *m = compile_with(scale, NULL);
    runner r = run_open(m);
    ingot_value values[4] = {run_tensor(&r, type_f32, 8, NULL), run_tensor(&r, type_f32, 8, NULL), ingot_float(1), ingot_int(1)};
    refused(&r, values, 3, INGOT_TYPE, "Expected 4 arguments" CALLING);
    refused(&r, NULL, 4, INGOT_TYPE, "args pointer is NULL" CALLING);
    values[3] = ingot_float(1);
    refused(&r, values, 4, INGOT_TYPE, "Mismatched type on argument #3" CALLING ",\n  expected int, got float");
    values[3] = ingot_int((int64_t)1 << 31);
    refused(&r, values, 4, INGOT_VALUE, "Invalid y on argument #3" CALLING ",\n  expected a value in [-2147483648, 2147483647], got 2147483648");
    values[3] = ingot_int(1);
    r.shapes[1] = 7;
    refused(&r, values, 4, INGOT_VALUE, "Mismatched B.shape[0] on argument #1" CALLING ",\n  expected to match A.shape[0] (8), got 7");
    r.shapes[0] = r.shapes[1] = 9;
    refused(&r, values, 4, INGOT_VALUE, "to lie inside its buffer of 32 bytes");
    r.shapes[0] = r.shapes[1] = 8;
    r.tensors[0].byte_offset = 4;
    refused(&r, values, 4, INGOT_VALUE, "Invalid A.byte_offset on argument #0" CALLING ",\n  expected 0, got 4");
    r.tensors[0].byte_offset = 0;
    r.tensors[0].device.device_type = kDLCPU;
    refused(&r, values, 4, INGOT_VALUE, "Mismatched A.device_type on argument #0" CALLING ",\n  expected metal");
    r.tensors[0].device.device_type = kDLMetal;
    void *data = r.tensors[0].data;
    r.tensors[0].data = &r;
    refused(&r, values, 4, INGOT_VALUE, "Invalid A.data on argument #0");
    r.tensors[0].data = data;
    int64_t strides[1] = {2};
    r.tensors[0].strides = strides;
    refused(&r, values, 4, INGOT_VALUE, "Mismatched A.strides on argument #0" CALLING ",\n  expected to be compact array");
    r.tensors[0].strides = NULL;
    refused(&r, values, 4, INGOT_OK, "");
    run_close(&r);
    ingot_module_release(m);
}

/* ---- Payloads ------------------------------------------------------------------------------------------- */

typedef struct answer {
    const char *payload, *format;
} answer;

static ingot_status give(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    const answer *a = user;
    ingot_value pair[2] = {ingot_str(a->payload, strlen(a->payload)), ingot_str(a->format, strlen(a->format))};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

static void load_fails(answer a, ingot_status status, const char *words)
{
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = give;
    options.compile_kernel_user = &a;
    ingot_module *m = compile_with(add_one, &options);
    ingot_device *device;
    ingot_program *program;
    ingot_error error = {0};
    check(ingot_device_open(TEST_DEVICE, 0, 1, NULL, &device, &error), &error);
    ingot_status got = ingot_program_load(m, device, &program, &error);
    if (got != status || strstr(error.message, words) == NULL) fail_msg("%d \"%s\", expected \"%s\"", (int)got, error.message, words);
    assert_null(program);
    ingot_device_release(device);
    ingot_module_release(m);
}

static void test_payloads(void **state)
{
    (void)state;
    load_fails((answer){"#include <metal_stdlib>\nkernel void main_kernel() {}\n", "metallib"}, INGOT_FORMAT,
               "kernel \"main_kernel\": the payload is labelled \"metallib\" and is MSL text");
    load_fails((answer){"BC\xC0\xDE", "metallib"}, INGOT_FORMAT, "is LLVM bitcode (.air)");
    load_fails((answer){"kernel void main_kernel( {}\n", "metal"}, INGOT_SYNTAX, "kernel \"main_kernel\"");
    load_fails((answer){"#include <metal_stdlib>\nkernel void other(device float *A [[buffer(0)]]) {}\n", "metal"}, INGOT_FORMAT,
               "kernel \"main_kernel\"");
    load_fails((answer){"#include <metal_stdlib>\nkernel void main_kernel(device float *A [[buffer(2)]]) {}\n", "metal"}, INGOT_FORMAT,
               "its code declares 'A' at [[buffer(2)]]");
    load_fails((answer){"\x7F" "ELF", "metal"}, INGOT_SYNTAX, "the payload is ELF file");
}

/* ---- Faults ---------------------------------------------------------------------------------------------- */

/* A fault while running is reported once, by the next call on the stream that can know of it, with the kernel's name. */
static void test_fault(void **state)
{
    (void)state;
    answer a = {"#include <metal_stdlib>\nusing namespace metal;\nkernel void main_kernel(device const float *A [[buffer(0)]], device float "
                "*B [[buffer(1)]], uint i [[thread_position_in_grid]]) {\n    B[i + 1] = A[i];\n}\n", "metal"};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = give;
    options.compile_kernel_user = &a;
    ingot_module *m = compile_with(add_one, &options);
    runner r = run_open(m);
    ingot_error error = {0};
    ingot_value values[2] = {run_tensor(&r, type_f32, 1024, NULL), run_tensor(&r, type_f32, 1024, NULL)};
    check(call(&r, values, 2, &error), &error);
    assert_int_equal(ingot_stream_sync(r.stream, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "main_kernel"));
    check(ingot_stream_sync(r.stream, &error), &error);
    check(call(&r, values, 2, &error), &error);
    assert_int_equal(TEST_APART ? ingot_stream_sync(r.stream, &error) : call(&r, values, 2, &error), INGOT_DEVICE);
    check(ingot_stream_sync(r.stream, &error), &error);
    run_close(&r);
    ingot_module_release(m);
}

static void note(void *user, const char *kernel, const uint32_t grid[3], const uint32_t group[3], size_t bytes)
{
    assert_string_equal(kernel, "main_kernel");
    assert_int_equal(grid[0], 32);
    assert_int_equal(grid[1] * grid[2], 1);
    assert_int_equal(group[0], 32);
    assert_int_equal(bytes, 0);
    ++*(int *)user;
}

static void test_on_launch(void **state)
{
    (void)state;
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    int launches = 0;
    ingot_value values[2] = {run_tensor(&r, type_f32, 1024, NULL), run_tensor(&r, type_f32, 1024, NULL)}, result;
    ingot_stream_on_launch(r.stream, note, &launches);
    check(ingot_program_call(r.program, "main", values, 2, r.stream, &result, &error), &error);
    assert_int_equal(launches, 1);
    assert_int_equal(result.kind, INGOT_VALUE_NONE);
    ingot_stream_on_launch(r.stream, NULL, NULL);
    check(call(&r, values, 2, &error), &error);
    assert_int_equal(launches, 1);
    assert_int_equal(ingot_program_call(r.program, "nobody", values, 2, r.stream, &result, &error), INGOT_NOT_FOUND);
    assert_int_equal(ingot_program_call(NULL, NULL, values, 2, r.stream, &result, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_program_call(r.program, NULL, values, 2, NULL, &result, &error), INGOT_INVALID_ARGUMENT);
    run_close(&r);
    ingot_module_release(m);
}

/* Threadgroup memory sized at the launch: as large as is asked for, in units of 16 bytes, up to the device's limit. */
static const char dynamic[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), n: T.int32):\n"
    "        for g in T.thread_binding(1, thread=\"blockIdx.x\"):\n"
    "            S = T.alloc_buffer((n,), \"float32\", scope=\"shared.dyn\")\n"
    "            for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
    "                S[t * 129 % n] = A[t]\n"
    "                B[t] = S[(63 - t) * 129 % n]\n";

static void note_bytes(void *user, const char *kernel, const uint32_t grid[3], const uint32_t group[3], size_t bytes)
{
    (void)kernel, (void)grid, (void)group;
    *(size_t *)user = bytes;
}

static void test_dynamic_memory(void **state)
{
    (void)state;
    ingot_module *m = compile_with(dynamic, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    float in[64], out[64];
    for (int i = 0; i < 64; ++i) in[i] = (float)(3 * i);
    size_t bytes = 0;
    ingot_stream_on_launch(r.stream, note_bytes, &bytes);
    static const int64_t sizes[] = {64, 65, 8192};
    static const size_t lengths[] = {256, 272, 32768};
    for (size_t k = 0; k < 3; ++k) {
        ingot_value values[3] = {run_tensor(&r, type_f32, 64, in), run_tensor(&r, type_f32, 64, NULL), ingot_int(sizes[k])};
        check(call(&r, values, 3, &error), &error);
        assert_int_equal(bytes, lengths[k]);
        run_read(&r, r.count - 1, out);
        for (int i = 0; i < 64; ++i) assert_true(out[i] == in[63 - i]);
    }
    ingot_value values[3] = {run_tensor(&r, type_f32, 64, in), run_tensor(&r, type_f32, 64, NULL), ingot_int(8193)};
    refused(&r, values, 3, INGOT_LIMIT, "kernel \"main_kernel\": 32784 bytes of threadgroup memory; the device has 32768");
    values[2] = ingot_int(-1);
    refused(&r, values, 3, INGOT_VALUE, "kernel \"main_kernel\": an extent of -4 for tirx.use_dyn_shared_memory");
    run_close(&r);
    ingot_module_release(m);
}

/* Assertions in kernels: with and without barriers, in a loop written out; the earliest that fails is told, with its place. */
static const char asserting[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), n: T.int32):\n"
    "        for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
    "            S = T.alloc_buffer((64,), \"int32\", scope=\"shared\")\n"
    "            assert A[t] >= 0, (\"ValueError\", [\"negative\"])\n"
    "            S[t] = A[t]\n"
    "            for k in T.unroll(2):\n"
    "                assert S[63 - t] < n, \"too large\"\n"
    "                B[t] = S[63 - t]\n"
    "        for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
    "            assert B[t] != 7, (\"TypeError\", [\"seven\"])\n"
    "            B[B[t] % 64] = 0\n";

static void test_device_assert(void **state)
{
    (void)state;
    ingot_module *m = compile_with(asserting, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    DLDataType i32 = {kDLInt, 32, 1};
    static const struct {
        int32_t element; /* A[5]; the others are 1 */
        int64_t n;
        ingot_status status;
        const char *words;
    } cases[] = {
        {1, 100, INGOT_OK, ""},
        {-3, 100, INGOT_VALUE, "negative (asserted in kernel \"main_kernel\", <script>:9)"},
        {100, 100, INGOT_RUNTIME, "too large (asserted in kernel \"main_kernel\", <script>:12)"},
        {-3, 0, INGOT_VALUE, "negative (asserted in kernel \"main_kernel\", <script>:9)"}, /* both fail */
        {7, 100, INGOT_TYPE, "seven (asserted in kernel \"main_kernel_1\", <script>:15)"},
        {2, 100, INGOT_OK, ""}, /* nothing is left of the failures before */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        int32_t in[64];
        for (int i = 0; i < 64; ++i) in[i] = i == 5 ? cases[k].element : 1;
        ingot_value values[3] = {run_tensor(&r, i32, 64, in), run_tensor(&r, i32, 64, NULL), ingot_int(cases[k].n)};
        if (cases[k].status == INGOT_OK) check(call(&r, values, 3, &error), &error);
        else refused(&r, values, 3, cases[k].status, cases[k].words);
        check(ingot_stream_sync(r.stream, &error), &error);
    }
    run_close(&r);
    ingot_module_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbolic), cmocka_unit_test(test_empty), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_payloads), cmocka_unit_test(test_fault), cmocka_unit_test(test_on_launch),
        cmocka_unit_test(test_dynamic_memory), cmocka_unit_test(test_device_assert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
