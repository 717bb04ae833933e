/* labels: quick */
/* Kernels of a metallib by Metal's own terms: what they take, function constants, runs, and what is refused. */
#include "metal_test.h"

#include <stdio.h>
#include <string.h>

static const char text[] =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "constant bool negate [[function_constant(3)]];\n"
    "constant float scale [[function_constant(7)]];\n"
    "constant half small [[function_constant(8)]];\n"
    "constant ushort shift [[function_constant(300)]];\n"
    "constant long wide [[function_constant(9)]];\n"
    "constant uint twice = shift * 2 + 1;\n"
    "constant float table[2] = {scale, 4.0f};\n"
    "struct shape { uint n; float by; };\n"
    "kernel void plain(device const float *a [[buffer(0)]], device float *b [[buffer(2)]], constant shape &s [[buffer(1)]],\n"
    "                  uint i [[thread_position_in_grid]]) { if (i < s.n) b[i] = a[i] * s.by; }\n"
    "kernel void constants(device float *o [[buffer(0)]], device long *l [[buffer(4)]], uint i [[thread_position_in_grid]])\n"
    "{ o[0] = negate ? -scale : scale; o[1] = float(small); o[2] = shift; o[3] = twice; o[4] = table[i]; l[0] = wide; }\n"
    "[[max_total_threads_per_threadgroup(64)]]\n"
    "kernel void reverse(device int *x [[buffer(0)]], threadgroup int *t [[threadgroup(1)]], uint i [[thread_index_in_threadgroup]],\n"
    "                    uint n [[threads_per_threadgroup]])\n"
    "{ threadgroup int fixed[8]; fixed[i % 8] = 0; t[i] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  x[i] = t[n - 1 - i] + fixed[0]; }\n";

static ingot_text *file; /* the metallib; NULL: there is no component */

static int make_file(void **state)
{
    (void)state;
    ingot_error error = {0};
    const ingot_status status = ingot_metallib_build(text, strlen(text), NULL, &file, &error);
    if (status == INGOT_UNSUPPORTED && strstr(error.message, "AIR component") != NULL) {
        printf("skipped: %s\n", error.message);
        return 0;
    }
    if (status != INGOT_OK) print_error("%s\n", error.message);
    return status == INGOT_OK ? 0 : -1;
}

static int drop_file(void **state)
{
    (void)state;
    ingot_text_release(file);
    return 0;
}

#define NEEDS_COMPONENT                                                                                                \
    do {                                                                                                               \
        if (file == NULL) skip();                                                                                      \
    } while (0)

static metal metal_open(void)
{
    metal m = metal_start();
    ingot_error error = {0};
    check(ingot_metal_library_create_with_data(m.device, ingot_text_data(file), ingot_text_size(file), &m.library, &error), &error);
    return m;
}

static void bind(const metal *m, void *bytes, size_t size, uint32_t slot)
{
    ingot_metal_buffer *b;
    ingot_error error = {0};
    check(ingot_metal_buffer_wrap(m->device, bytes, size, NULL, NULL, &b, &error), &error);
    check(ingot_metal_encoder_set_buffer(m->encoder, b, 0, slot, &error), &error);
    ingot_metal_buffer_release(b);
}

static ingot_status dispatch(const metal *m, uint32_t grid, uint32_t threads, ingot_error *error)
{
    check(ingot_metal_encoder_dispatch_threads(m->encoder, (uint32_t[3]){grid, 1, 1}, (uint32_t[3]){threads, 1, 1}, error), error);
    return finish_work(m, error);
}

static void test_run(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    metal m = metal_open();
    ingot_error error = {0};
    float a[4] = {1, 2, 3, 4}, b[4] = {0};
    const struct {
        uint32_t n;
        float by;
    } shape = {3, 0.5F};
    use(&m, "plain", NULL, 0);
    bind(&m, a, sizeof a, 0);
    bind(&m, b, sizeof b, 2);
    check(ingot_metal_encoder_set_bytes(m.encoder, &shape, sizeof shape, 1, &error), &error);
    check(dispatch(&m, 4, 3, &error), &error); /* the second threadgroup has one thread */
    const float want[4] = {0.5F, 1.0F, 1.5F, 0.0F};
    assert_memory_equal(b, want, sizeof want);
    metal_close(&m);
}

static void test_threadgroup_memory(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    metal m = metal_open();
    ingot_error error = {0};
    int32_t x[40];
    for (int32_t i = 0; i < 40; ++i) x[i] = i;
    use(&m, "reverse", NULL, 0);
    bind(&m, x, sizeof x, 0);
    check(ingot_metal_encoder_set_threadgroup_memory_length(m.encoder, 160, 1, &error), &error);
    check(dispatch(&m, 40, 40, &error), &error);
    for (int32_t i = 0; i < 40; ++i) assert_int_equal(x[i], 39 - i);
    metal_close(&m);
}

static void test_lists(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    metal m = metal_open();
    static const struct {
        const char *name, *type;
        uint32_t index;
    } want[] = {{"negate", "bool", 3}, {"scale", "float", 7}, {"small", "half", 8}, {"shift", "ushort", 300}, {"wide", "long", 9}};
    assert_int_equal(ingot_metal_library_function_count(m.library), 3);
    assert_string_equal(ingot_metal_library_function_name(m.library, 2), "reverse");
    assert_null(ingot_metal_library_function_name(m.library, 3));
    assert_int_equal(ingot_metal_library_constant_count(m.library), 5);
    for (size_t i = 0; i < 5; ++i) {
        ingot_metal_constant_info info;
        size_t k = 0;
        while (ingot_metal_library_constant(m.library, k, &info) == INGOT_OK && info.index != want[i].index) ++k;
        assert_string_equal(info.name, want[i].name);
        assert_string_equal(info.type, want[i].type);
    }
    ingot_metal_function *f = function_of(m.library, "plain", NULL, 0);
    ingot_metal_argument a;
    assert_int_equal(ingot_metal_function_argument_count(f), 3);
    assert_int_equal(ingot_metal_function_argument(f, 0, &a), INGOT_OK);
    assert_true(a.kind == INGOT_METAL_ARGUMENT_DEVICE && a.index == 0 && a.is_const && !a.is_written && a.is_read);
    assert_true(a.size == 4 && a.alignment == 4 && a.dtype.code == kDLFloat && a.dtype.bits == 32 && a.dtype.lanes == 1);
    assert_int_equal(ingot_metal_function_argument(f, 2, &a), INGOT_OK);
    assert_true(a.kind == INGOT_METAL_ARGUMENT_CONSTANT && a.index == 1 && a.is_reference && a.size == 8 && a.dtype.bits == 0);
    assert_string_equal(a.type, "shape");
    assert_string_equal(a.name, "s");
    assert_int_equal(ingot_metal_function_argument(f, 3, &a), INGOT_NOT_FOUND);
    ingot_metal_function_release(f);
    f = function_of(m.library, "reverse", NULL, 0);
    ingot_metal_pipeline *p;
    ingot_error error = {0};
    check(ingot_metal_pipeline_create(f, &p, &error), &error);
    assert_int_equal(ingot_metal_pipeline_max_total_threads_per_threadgroup(p), 64);
    assert_int_equal(ingot_metal_pipeline_static_threadgroup_memory_length(p), 32);
    assert_int_equal(ingot_metal_function_argument(f, 1, &a), INGOT_OK);
    assert_true(a.kind == INGOT_METAL_ARGUMENT_THREADGROUP && a.index == 1);
    ingot_metal_pipeline_release(p);
    ingot_metal_function_release(f);
    metal_close(&m);
}

static void test_constants(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    metal m = metal_open();
    ingot_error error = {0};
    const ingot_metal_constant given[] = {{"negate", 0, ingot_bool(1)}, {NULL, 7, ingot_float(2.5)}, {"small", 0, ingot_float(0.1)},
                                          {"shift", 0, ingot_int(1000)}, {"wide", 0, ingot_int(-5000000000)}};
    ingot_metal_function *f;
    const ingot_metal_constant unknown = {"nagate", 0, ingot_bool(1)}, real = {"negate", 0, ingot_float(1.0)};
    assert_int_equal(ingot_metal_function_create(m.library, "plain", &unknown, 1, &f, &error), INGOT_NOT_FOUND);
    assert_non_null(strstr(error.message, "the library has no function constant 'nagate'"));
    assert_int_equal(ingot_metal_function_create(m.library, "plain", &real, 1, &f, &error), INGOT_TYPE);
    assert_int_equal(ingot_metal_function_create(m.library, "plane", NULL, 0, &f, &error), INGOT_NOT_FOUND);
    assert_non_null(strstr(error.message, "'plain', 'constants', 'reverse'"));
    /* without values: known by its arguments, and no pipeline */
    f = function_of(m.library, "constants", NULL, 0);
    ingot_metal_pipeline *p;
    assert_int_equal(ingot_metal_pipeline_create(f, &p, &error), INGOT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "kernel 'constants'"));
    assert_null(p);
    ingot_metal_function_release(f);
    float o[5] = {0};
    int64_t l = 0;
    use(&m, "constants", given, 5);
    bind(&m, o, sizeof o, 0);
    bind(&m, &l, sizeof l, 4);
    check(dispatch(&m, 1, 1, &error), &error);
    /* 0.1 as half is 0x2e66: 1638 * 2^-14 */
    const float want[5] = {-2.5F, 1638.0F / 16384.0F, 1000.0F, 2001.0F, 2.5F};
    assert_memory_equal(o, want, sizeof want);
    assert_true(l == -5000000000);
    metal_close(&m);
}

/* Tags, their order, and groups of metadata as Apple's driver writes them for macOS 14 (but for its reflection, which its
 * linker leaves out too). */
static void test_container(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    static const char given[] = "constant float foo [[function_constant(0)]]; constant float bar [[function_constant(2)]];\n"
                                "kernel void vadd(device float *c [[buffer(2)]]) { c[0] = bar + foo; }\n";
    static const char tags[] = "NAME TYPE HASH OFFT VERS MDSZ ENDT UUID ENDT";
    static const unsigned char metadata[] = "\x20\0\0\0CNST\x12\0\2\0foo\0\3\0\0\1bar\0\3\2\0\1ENDT\x08\0\0\0ENDT";
    ingot_text *made;
    ingot_error error = {0};
    check(ingot_metallib_build(given, strlen(given), NULL, &made, &error), &error);
    const unsigned char *p = (const unsigned char *)ingot_text_data(made) + 92 + 4; /* the first entry, without its size */
    for (const char *t = tags; *t != '\0'; t += t[4] == ' ' ? 5 : 4) {
        assert_memory_equal(p, t, 4);
        p += strncmp(t, "ENDT", 4) == 0 ? 4 : 6 + p[4] + 256 * p[5];
    }
    assert_memory_equal(p, metadata, sizeof metadata - 1);
    assert_memory_equal(p + sizeof metadata - 1, "\xDE\xC0\x17\x0B\0\0\0\0\x14\0\0\0", 12);
    ingot_text_release(made);
}

static void test_refusals(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    metal m = metal_open();
    ingot_error error = {0};
    ingot_metal_library *none;
    char *bad = calloc(ingot_text_size(file), 1);
    assert_non_null(bad);
    memcpy(bad, ingot_text_data(file), ingot_text_size(file));
    bad[ingot_text_size(file) - 40] ^= 1;
    assert_int_equal(ingot_metal_library_create_with_data(m.device, bad, ingot_text_size(file), &none, &error), INGOT_FORMAT);
    assert_non_null(strstr(error.message, "SHA-256"));
    assert_int_equal(ingot_metal_library_create_with_data(m.device, bad, 40, &none, &error), INGOT_FORMAT);
    assert_int_equal(ingot_metal_library_create_with_data(m.device, NULL, 40, &none, &error), INGOT_INVALID_ARGUMENT);
    assert_null(none);
    free(bad);
    metal_close(&m);
}

static void test_fault(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    metal m = metal_open();
    ingot_error error = {0};
    float a[4] = {0}, b[2] = {0};
    const struct {
        uint32_t n;
        float by;
    } shape = {4, 1.0F};
    use(&m, "plain", NULL, 0);
    bind(&m, a, sizeof a, 0);
    bind(&m, b, sizeof b, 2);
    check(ingot_metal_encoder_set_bytes(m.encoder, &shape, sizeof shape, 1, &error), &error);
    assert_int_equal(dispatch(&m, 4, 4, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "4 bytes at offset 8 of 'b' [[buffer(2)]], which has 8"));
    metal_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_run),       cmocka_unit_test(test_threadgroup_memory),
                                       cmocka_unit_test(test_lists),     cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_container), cmocka_unit_test(test_refusals),  cmocka_unit_test(test_fault)};
    return cmocka_run_group_tests(tests, make_file, drop_file);
}
