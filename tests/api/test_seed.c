/* labels: full thread */
/* The programs that every Metal back end of TVM is tried with first, end to end: compiled, passed through the
 * callback, saved, loaded, run; values computed here in double or known exactly. Each also from metallibs that are made of its
 * text, where the AIR component is there: then the test's state is "metallib". */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>

#include "ingot_test.h"

typedef struct keeper {
    size_t calls, bytes;
} keeper;

static ingot_status keep(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)count;
    (void)error;
    keeper *k = user;
    ++k->calls;
    k->bytes += args[0].as.text.size;
    ingot_value pair[2] = {args[0], ingot_str("metal", 5)};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

/* Compiles the script in the format that the state asks for. */
static ingot_module *compile_as(void **state, const char *script, const ingot_compile_options *options)
{
    ingot_compile_options o = INGOT_COMPILE_OPTIONS_INIT;
    ingot_error error;
    if (options != NULL) o = *options;
    if (*state == NULL) return compile_with(script, &o);
#ifdef __SANITIZE_THREAD__
    skip(); /* LLVM is not instrumented, and runs in children */
#endif
    if (TEST_APART || ingot_air_version(&error) == NULL) skip();
    o.compile_kernel = ingot_compile_metallib;
    o.compile_kernel_user = NULL;
    ingot_module *m = compile_with(script, &o);
    assert_string_equal(ingot_module_format(m), "metallib");
    return m;
}

static void call(runner *r, const ingot_value *args, size_t count)
{
    ingot_error error = {0};
    check(ingot_program_call(r->program, "main", args, count, r->stream, NULL, &error), &error);
    check(ingot_stream_sync(r->stream, &error), &error);
}

static void add_one_is_right(void **state)
{
    keeper kept = {0};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = keep;
    options.compile_kernel_user = &kept;
    ingot_module *m = compile_as(state, add_one, &options);
    if (*state == NULL) {
        assert_int_equal(kept.calls, 1);
        assert_true(kept.bytes > 0);
        assert_string_equal(ingot_module_format(m), "metal");
    }
    runner r = run_open(m);
    float a[1024], b[1024];
    for (int i = 0; i < 1024; ++i) a[i] = (float)sin(i);
    ingot_value args[2] = {run_tensor(&r, type_f32, 1024, a), run_tensor(&r, type_f32, 1024, NULL)};
    call(&r, args, 2);
    run_read(&r, 1, b);
    for (int i = 0; i < 1024; ++i) assert_true(b[i] == a[i] + 1.0f);
    run_close(&r);
    ingot_module_release(m);
}

static void two_kernels_are_two_calls(void **state)
{
    keeper kept = {0};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = keep;
    options.compile_kernel_user = &kept;
    ingot_module *m = compile_as(state, two_kernels, &options);
    assert_int_equal(kept.calls, *state == NULL ? 2 : 0);
    ingot_kernel_info k;
    assert_int_equal(ingot_module_kernel(m, 0, &k), INGOT_OK);
    assert_string_equal(k.name, "main_kernel");
    assert_int_equal(ingot_module_kernel(m, 1, &k), INGOT_OK);
    assert_string_equal(k.name, "main_kernel_1");
    runner r = run_open(m);
    float a[64], b[64], c[64];
    for (int i = 0; i < 64; ++i) a[i] = (float)i;
    ingot_value args[3] = {run_tensor(&r, type_f32, 64, a), run_tensor(&r, type_f32, 64, NULL),
                           run_tensor(&r, type_f32, 64, NULL)};
    call(&r, args, 3);
    run_read(&r, 1, b);
    run_read(&r, 2, c);
    for (int i = 0; i < 64; ++i) {
        assert_true(b[i] == (float)i + 1.0f);
        assert_true(c[i] == (float)i + 2.0f);
    }
    run_close(&r);
    ingot_module_release(m);
}

static const char scalar_script[] = SCRIPT_HEAD
    "    def func(A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), \"float32\"), x: T.float32):\n"
    "        for i in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
    "            with T.sblock(\"B\"):\n"
    "                v = T.axis.spatial(32, i)\n"
    "                B[v] = A[v] + x\n";

static size_t occurrences(const char *text, const char *piece)
{
    size_t n = 0;
    for (const char *p = strstr(text, piece); p != NULL; p = strstr(p + 1, piece)) ++n;
    return n;
}

static void a_trailing_scalar_arrives(void **state)
{
    ingot_module *m = compile_as(state, scalar_script, NULL);
    if (*state == NULL) {
        ingot_text *source;
        assert_int_equal(ingot_module_source(m, &source, NULL), INGOT_OK);
        assert_int_equal(occurrences(ingot_text_data(source), "struct func_kernel_args_t"), 1);
        assert_non_null(strstr(ingot_text_data(source), "// Function: func_kernel\n"));
        ingot_text_release(source);
    }
    runner r = run_open(m);
    float a[32], b[32];
    for (int i = 0; i < 32; ++i) a[i] = (float)i;
    ingot_value args[3] = {run_tensor(&r, type_f32, 32, a), run_tensor(&r, type_f32, 32, NULL), ingot_float(0.25)};
    ingot_error error = {0};
    check(ingot_program_call(r.program, NULL, args, 3, r.stream, NULL, &error), &error);
    run_read(&r, 1, b);
    for (int i = 0; i < 32; ++i) assert_true(b[i] == (float)i + 0.25f);
    run_close(&r);
    ingot_module_release(m);
}

static void a_fallback_module_saves_the_same_and_runs_elsewhere(void **state)
{
    (void)state;
    ingot_error error = {0};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    assert_int_equal(setenv("INGOT_COMPILE_FORCE_FALLBACK", "1", 1), 0);
    ingot_module *fallback = compile_with(add_one, &options);
    assert_int_equal(unsetenv("INGOT_COMPILE_FORCE_FALLBACK"), 0);
    ingot_module *normal = compile_with(add_one, &options);
    assert_true(ingot_module_is_fallback(fallback));
    assert_false(ingot_module_is_fallback(normal));
    ingot_text *one, *two;
    check(ingot_module_save(fallback, &one, &error), &error);
    check(ingot_module_save(normal, &two, &error), &error);
    assert_int_equal(ingot_text_size(one), ingot_text_size(two));
    assert_memory_equal(ingot_text_data(one), ingot_text_data(two), ingot_text_size(one));
    /* It refuses to launch, and says so; what it saved runs where a device is. */
    ingot_device *device;
    ingot_program *program;
    check(ingot_device_open(TEST_DEVICE, 0, 1, NULL, &device, &error), &error);
    assert_int_equal(ingot_program_load(fallback, device, &program, &error), INGOT_RUNTIME);
    assert_null(program);
    ingot_device_release(device);
    ingot_module *loaded;
    check(ingot_module_load(ingot_text_data(one), ingot_text_size(one), NULL, &loaded, &error), &error);
    runner r = run_open(loaded);
    float a[1024] = {0}, b[1024];
    ingot_value args[2] = {run_tensor(&r, type_f32, 1024, a), run_tensor(&r, type_f32, 1024, NULL)};
    call(&r, args, 2);
    run_read(&r, 1, b);
    for (int i = 0; i < 1024; ++i) assert_true(b[i] == 1.0f);
    run_close(&r);
    ingot_text_release(one);
    ingot_text_release(two);
    ingot_module_release(loaded);
    ingot_module_release(normal);
    ingot_module_release(fallback);
}

static const char constants_script[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((4,), dtype)):\n"
    "        for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
    "            with T.sblock(\"A\"):\n"
    "                T.writes(A[0:4])\n"
    "                if i == 0:\n"
    "                    A[0] = T.Cast(dtype, T.float32(\"inf\"))\n"
    "                    A[1] = T.Cast(dtype, T.float32(\"-inf\"))\n"
    "                    A[2] = T.Cast(dtype, T.float32(\"nan\"))\n"
    "                    A[3] = T.Cast(dtype, T.float32(1.5))\n";

static ingot_module *compile_typed(void **state, const char *script, const char *dtype)
{
    ingot_definition definition = {"dtype", ingot_str(dtype, strlen(dtype))};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.definitions = &definition;
    options.definition_count = 1;
    return compile_as(state, script, &options);
}

static void infinities_and_nan_are_stored(void **state)
{
    ingot_module *m = compile_typed(state, constants_script, "float32");
    runner r = run_open(m);
    float f[4];
    ingot_value arg = run_tensor(&r, type_f32, 4, NULL);
    call(&r, &arg, 1);
    run_read(&r, 0, f);
    assert_true(isinf(f[0]) && f[0] > 0);
    assert_true(isinf(f[1]) && f[1] < 0);
    assert_true(isnan(f[2]));
    assert_true(f[3] == 1.5f);
    run_close(&r);
    ingot_module_release(m);
    m = compile_typed(state, constants_script, "float16");
    r = run_open(m);
    uint16_t h[4];
    arg = run_tensor(&r, (DLDataType){kDLFloat, 16, 1}, 4, NULL);
    call(&r, &arg, 1);
    run_read(&r, 0, h);
    assert_int_equal(h[0], 0x7C00);
    assert_int_equal(h[1], 0xFC00);
    assert_int_equal(h[2] & 0x7C00, 0x7C00);
    assert_true((h[2] & 0x3FF) != 0);
    assert_int_equal(h[3], 0x3E00); /* 1.5 = 1.1b * 2^0 */
    run_close(&r);
    ingot_module_release(m);
}

enum { N = 256 };

static const char matmul_script[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((256, 256), \"float32\"), B: T.Buffer((256, 256), \"float32\"),\n"
    "             C: T.Buffer((256, 256), \"float32\")):\n"
    "        for by in T.thread_binding(16, thread=\"blockIdx.y\"):\n"
    "            for bx in T.thread_binding(16, thread=\"blockIdx.x\"):\n"
    "                for ty in T.thread_binding(16, thread=\"threadIdx.y\"):\n"
    "                    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
    "                        with T.sblock(\"C\"):\n"
    "                            T.reads(A[by * 16 + ty, 0:256], B[0:256, bx * 16 + tx])\n"
    "                            T.writes(C[by * 16 + ty, bx * 16 + tx])\n"
    "                            As = T.sblock_alloc_buffer((16, 16), \"float32\", scope=\"shared\")\n"
    "                            Bs = T.sblock_alloc_buffer((16, 16), \"float32\", scope=\"shared\")\n"
    "                            acc = T.sblock_alloc_buffer((1,), \"float32\", scope=\"local\")\n"
    "                            acc[0] = T.float32(0)\n"
    "                            for ko in range(16):\n"
    "                                As[ty, tx] = A[by * 16 + ty, ko * 16 + tx]\n"
    "                                Bs[ty, tx] = B[ko * 16 + ty, bx * 16 + tx]\n"
    "                                T.tvm_storage_sync(\"shared\")\n"
    "                                for ki in range(16):\n"
    "                                    acc[0] = acc[0] + As[ty, ki] * Bs[ki, tx]\n"
    "                                T.tvm_storage_sync(\"shared\")\n"
    "                            C[by * 16 + ty, bx * 16 + tx] = acc[0]\n";

static ingot_value matrix(runner *r, const float *from)
{
    static int64_t shape[2] = {N, N};
    ingot_value v = run_tensor(r, type_f32, (int64_t)N * N, from);
    r->tensors[r->count - 1].ndim = 2;
    r->tensors[r->count - 1].shape = shape;
    return v;
}

static void a_tiled_matmul_is_right(void **state)
{
    ingot_module *m = compile_as(state, matmul_script, NULL);
    runner r = run_open(m);
    size_t bytes = sizeof(float) * N * N;
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    for (int i = 0; i < N * N; ++i) {
        a[i] = (float)sin(0.001 * i);
        b[i] = (float)cos(0.002 * i);
    }
    ingot_value args[3] = {matrix(&r, a), matrix(&r, b), matrix(&r, NULL)};
    call(&r, args, 3);
    run_read(&r, 2, c);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            double sum = 0, size = 0;
            for (int k = 0; k < N; ++k) {
                sum += (double)a[i * N + k] * (double)b[k * N + j];
                size += fabs((double)a[i * N + k] * (double)b[k * N + j]);
            }
            /* 256 float additions: each rounds by at most 2^-24 of the partial sum. */
            assert_true(fabs((double)c[i * N + j] - sum) <= size * 256 * 6e-8);
        }
    }
    free(a);
    free(b);
    free(c);
    run_close(&r);
    ingot_module_release(m);
}

static const char reduce_script[] = SCRIPT_HEAD
    "    def main(A: T.Buffer((65536,), \"float32\"), B: T.Buffer((256,), \"float32\")):\n"
    "        for bx in T.thread_binding(256, thread=\"blockIdx.x\"):\n"
    "            for tx in T.thread_binding(256, thread=\"threadIdx.x\"):\n"
    "                with T.sblock(\"tree\"):\n"
    "                    T.reads(A[bx * 256 + tx])\n"
    "                    T.writes(B[bx])\n"
    "                    S = T.sblock_alloc_buffer((256,), \"float32\", scope=\"shared\")\n"
    "                    S[tx] = A[bx * 256 + tx]\n"
    "                    T.tvm_storage_sync(\"shared\")\n"
    "                    for step in range(8):\n"
    "                        if tx < T.shift_right(128, step):\n"
    "                            S[tx] = S[tx] + S[tx + T.shift_right(128, step)]\n"
    "                        T.tvm_storage_sync(\"shared\")\n"
    "                    if tx == 0:\n"
    "                        B[bx] = S[0]\n";

static void a_tree_reduction_is_right(void **state)
{
    ingot_module *m = compile_as(state, reduce_script, NULL);
    runner r = run_open(m);
    float *a = malloc(65536 * sizeof *a), b[256];
    assert_non_null(a);
    for (int i = 0; i < 65536; ++i) a[i] = (float)sin(0.37 * i);
    ingot_value args[2] = {run_tensor(&r, type_f32, 65536, a), run_tensor(&r, type_f32, 256, NULL)};
    call(&r, args, 2);
    run_read(&r, 1, b);
    for (int g = 0; g < 256; ++g) {
        double sum = 0;
        for (int i = 0; i < 256; ++i) sum += (double)a[g * 256 + i];
        /* Eight levels, each value at most 1 in size. */
        assert_true(fabs((double)b[g] - sum) <= 256 * 8 * 6e-8);
    }
    free(a);
    run_close(&r);
    ingot_module_release(m);
}

int main(void)
{
    static char metallib[] = "metallib";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_one_is_right),
        cmocka_unit_test(two_kernels_are_two_calls),
        cmocka_unit_test(a_trailing_scalar_arrives),
        cmocka_unit_test(a_fallback_module_saves_the_same_and_runs_elsewhere),
        cmocka_unit_test(infinities_and_nan_are_stored),
        cmocka_unit_test(a_tiled_matmul_is_right),
        cmocka_unit_test(a_tree_reduction_is_right),
        cmocka_unit_test_prestate(add_one_is_right, metallib),
        cmocka_unit_test_prestate(two_kernels_are_two_calls, metallib),
        cmocka_unit_test_prestate(a_trailing_scalar_arrives, metallib),
        cmocka_unit_test_prestate(infinities_and_nan_are_stored, metallib),
        cmocka_unit_test_prestate(a_tiled_matmul_is_right, metallib),
        cmocka_unit_test_prestate(a_tree_reduction_is_right, metallib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
