/* labels: quick thread */
/* Metal's own terms: libraries, functions, pipelines, buffers and encoders by the public header. */
#include "metal_test.h"

#include <pthread.h>
#include <stdio.h>

static const char text[] =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "struct shape { uint n; float scale; };\n"
    "constant bool negate [[function_constant(3)]];\n"
    "kernel void scale(device const float *a [[buffer(0)]], device float *b [[buffer(2)]],\n"
    "                  constant shape &s [[buffer(1)]], uint i [[thread_position_in_grid]])\n"
    "{ if (i < s.n) b[i] = a[i] * s.scale; }\n"
    "kernel void maybe_negate(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]])\n"
    "{ if (negate) x[i] = -x[i]; else x[i] += 100; }\n"
    "[[max_total_threads_per_threadgroup(64)]]\n"
    "kernel void reverse(device int *x [[buffer(0)]], threadgroup int *t [[threadgroup(0)]],\n"
    "                    uint i [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]])\n"
    "{ threadgroup int fixed[8]; fixed[i % 8] = 0; t[i] = x[i]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  x[i] = t[n - 1 - i] + fixed[0]; }\n";

static ingot_metal_library *read_library(ingot_metal_device *device, const char *source,
                                         const ingot_metal_library_options *options)
{
    ingot_metal_library *library;
    ingot_error error = {0};
    check(ingot_metal_library_create(device, source, strlen(source), options, &library, &error), &error);
    return library;
}

static metal metal_open(const char *source)
{
    metal m = metal_start();
    m.library = read_library(m.device, source, NULL);
    return m;
}

static void test_scale(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    const float in[5] = {9, 1, 2, 3, 4};
    const struct {
        uint32_t n;
        float scale;
    } shape = {3, 0.5F};
    ingot_metal_buffer *a = buffer_of(&m, in, sizeof in), *b;
    check(ingot_metal_buffer_create(m.device, 16, &b, &error), &error);
    assert_int_equal((uintptr_t)ingot_metal_buffer_contents(b) % 256, 0);
    use(&m, "scale", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, a, 4, 0, &error), &error); /* from the 1 on */
    check(ingot_metal_encoder_set_bytes(m.encoder, &shape, sizeof shape, 1, &error), &error);
    check(ingot_metal_encoder_set_buffer(m.encoder, b, 0, 2, &error), &error);
    check(ingot_metal_encoder_dispatch_threadgroups(m.encoder, (uint32_t[3]){2, 1, 1}, (uint32_t[3]){2, 1, 1}, &error),
          &error);
    ingot_metal_buffer_release(a); /* the dispatch keeps it */
    check(finish_work(&m, &error), &error);
    const float expected[4] = {0.5F, 1.0F, 1.5F, 0.0F}; /* the fourth is past n: as it was made */
    assert_memory_equal(ingot_metal_buffer_contents(b), expected, sizeof expected);
    assert_int_equal(ingot_metal_buffer_length(b), 16);
    metal_close(&m);
    assert_memory_equal(ingot_metal_buffer_contents(b), expected, sizeof expected); /* outlives all else */
    ingot_metal_buffer_release(b);
}

/* Dispatches run in order and each has the state that was set before it. */
static void test_order(void **state)
{
    (void)state;
    metal m = metal_open("kernel void twice(device int *x [[buffer(0)]], constant int &add [[buffer(1)]],\n"
                         "                  uint i [[thread_position_in_grid]]) { x[i] = x[i] * 2 + add; }\n");
    ingot_error error = {0};
    const int32_t in[2] = {1, 10}, three = 3, seven = 7;
    ingot_metal_buffer *x = buffer_of(&m, in, sizeof in);
    use(&m, "twice", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error);
    check(ingot_metal_encoder_set_bytes(m.encoder, &three, 4, 1, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){2, 1, 1}, (uint32_t[3]){2, 1, 1}, &error), &error);
    check(ingot_metal_encoder_set_bytes(m.encoder, &seven, 4, 1, &error), &error);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 4, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error); /* a grid of none */
    check(ingot_metal_encoder_dispatch_threadgroups(m.encoder, (uint32_t[3]){0, 1, 1}, (uint32_t[3]){2, 1, 1}, &error),
          &error);
    check(finish_work(&m, &error), &error);
    const int32_t expected[2] = {1 * 2 + 3, (10 * 2 + 3) * 2 + 7};
    assert_memory_equal(ingot_metal_buffer_contents(x), expected, sizeof expected);
    assert_int_equal(ingot_metal_command_buffer_commit(m.work, &error), INGOT_INVALID_ARGUMENT); /* a second time */
    ingot_metal_buffer_release(x);
    metal_close(&m);
}

/* A grid that is no multiple of its threadgroups: the last one is smaller, and knows it. */
static void test_uneven(void **state)
{
    (void)state;
    metal m = metal_open("kernel void f(device unsigned *x [[buffer(0)]], uint i [[thread_position_in_grid]],\n"
                         "              uint n [[threads_per_grid]], uint t [[threads_per_threadgroup]])\n"
                         "{ x[i] = n * 100 + t; }\n");
    ingot_error error = {0};
    const uint32_t none[6] = {0}, expected[6] = {502, 502, 502, 502, 501, 0};
    ingot_metal_buffer *x = buffer_of(&m, none, sizeof none);
    use(&m, "f", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){5, 1, 1}, (uint32_t[3]){2, 1, 1}, &error), &error);
    check(finish_work(&m, &error), &error);
    assert_memory_equal(ingot_metal_buffer_contents(x), expected, sizeof expected);
    ingot_metal_buffer_release(x);
    metal_close(&m);
}

static void test_threadgroup_memory(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    int32_t in[64], out[64];
    for (int i = 0; i < 64; ++i) {
        in[i] = i * i;
        out[63 - i] = i * i;
    }
    ingot_metal_buffer *x = buffer_of(&m, in, sizeof in);
    ingot_metal_pipeline *p = pipeline_of(m.library, "reverse", NULL, 0);
    assert_int_equal(ingot_metal_pipeline_max_total_threads_per_threadgroup(p), 64);
    assert_int_equal(ingot_metal_pipeline_thread_execution_width(p), 32);
    assert_int_equal(ingot_metal_pipeline_static_threadgroup_memory_length(p), 32); /* int fixed[8] */
    check(ingot_metal_encoder_set_pipeline(m.encoder, p, &error), &error);
    ingot_metal_pipeline_release(p);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error);
    check(ingot_metal_encoder_set_threadgroup_memory_length(m.encoder, 256, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threadgroups(m.encoder, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){64, 1, 1}, &error),
          &error);
    check(finish_work(&m, &error), &error);
    assert_memory_equal(ingot_metal_buffer_contents(x), out, sizeof out);
    ingot_metal_buffer_release(x);
    metal_close(&m);
}

static void run_maybe_negate(metal *m, const ingot_metal_constant *constant, int32_t expected)
{
    ingot_error error = {0};
    const int32_t five = 5;
    ingot_metal_buffer *x = buffer_of(m, &five, 4);
    ingot_metal_pipeline *p = pipeline_of(m->library, "maybe_negate", constant, 1);
    ingot_metal_command_buffer *work;
    ingot_metal_encoder *e;
    check(ingot_metal_command_buffer_create(m->queue, &work, &error), &error);
    check(ingot_metal_encoder_create(work, &e, &error), &error);
    check(ingot_metal_encoder_set_pipeline(e, p, &error), &error);
    check(ingot_metal_encoder_set_buffer(e, x, 0, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(e, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
    check(ingot_metal_encoder_end(e, &error), &error);
    check(ingot_metal_command_buffer_commit(work, &error), &error);
    check(ingot_metal_command_buffer_wait(work, &error), &error);
    assert_int_equal(*(const int32_t *)ingot_metal_buffer_contents(x), expected);
    ingot_metal_encoder_release(e);
    ingot_metal_command_buffer_release(work);
    ingot_metal_pipeline_release(p);
    ingot_metal_buffer_release(x);
}

static void test_constants(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    ingot_metal_constant_info info;
    assert_int_equal(ingot_metal_library_constant_count(m.library), 1);
    assert_int_equal(ingot_metal_library_constant(m.library, 0, &info), INGOT_OK);
    assert_string_equal(info.name, "negate");
    assert_string_equal(info.type, "bool");
    assert_int_equal(info.index, 3);
    assert_int_equal(ingot_metal_library_constant(m.library, 1, &info), INGOT_NOT_FOUND);
    run_maybe_negate(&m, &(ingot_metal_constant){"negate", 0, ingot_bool(1)}, -5);
    run_maybe_negate(&m, &(ingot_metal_constant){NULL, 3, ingot_int(0)}, 105);
    ingot_metal_function *f;
    const ingot_metal_constant unknown = {"nagate", 0, ingot_bool(1)}, real = {"negate", 0, ingot_float(1.0)},
                               index = {NULL, 4, ingot_bool(1)};
    assert_int_equal(ingot_metal_function_create(m.library, "scale", &unknown, 1, &f, &error), INGOT_NOT_FOUND);
    assert_non_null(strstr(error.message, "nagate"));
    assert_null(f);
    assert_int_equal(ingot_metal_function_create(m.library, "scale", &index, 1, &f, &error), INGOT_NOT_FOUND);
    assert_int_equal(ingot_metal_function_create(m.library, "scale", &real, 1, &f, &error), INGOT_TYPE);
    assert_int_equal(ingot_metal_function_create(m.library, "scala", NULL, 0, &f, &error), INGOT_NOT_FOUND);
    assert_non_null(strstr(error.message, "'scale', 'maybe_negate', 'reverse'"));
    use(&m, "maybe_negate", NULL, 0); /* reads a constant that has no value */
    ingot_metal_buffer *x = buffer_of(&m, "abcd", 4);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
    assert_int_not_equal(finish_work(&m, &error), INGOT_OK);
    assert_non_null(strstr(error.message, "negate"));
    assert_memory_equal(ingot_metal_buffer_contents(x), "abcd", 4);
    ingot_metal_buffer_release(x);
    metal_close(&m);
}

static void test_arguments(void **state)
{
    (void)state;
    metal m = metal_open("#include <metal_stdlib>\n"
                         "using namespace metal;\n"
                         "struct pair { float x; half y; };\n"
                         "kernel void all(device const float4 *a [[buffer(3)]], device atomic_uint &b [[buffer(1)]],\n"
                         "    constant pair *c [[buffer(0)]], threadgroup packed_half3 *d [[threadgroup(2)]],\n"
                         "    device float3 *unused [[buffer(7)]], device bfloat *only_written [[buffer(8)]],\n"
                         "    uint i [[thread_position_in_grid]])\n"
                         "{ d[0] = packed_half3(half(a[i].x)); only_written[i] = bfloat(c[i].x);\n"
                         "  atomic_fetch_add_explicit(&b, 1u, memory_order_relaxed); }\n");
    ingot_metal_function *f;
    ingot_error error = {0};
    check(ingot_metal_function_create(m.library, "all", NULL, 0, &f, &error), &error);
    assert_string_equal(ingot_metal_function_name(f), "all");
    assert_int_equal(ingot_metal_function_argument_count(f), 6);
    static const ingot_metal_argument expected[6] = {
        {INGOT_METAL_ARGUMENT_DEVICE, 3, 1, "a", "float4", 16, 16, {kDLFloat, 32, 4}, 0, 1, 1, 0, "<metal>", 4, 38},
        {INGOT_METAL_ARGUMENT_DEVICE, 1, 1, "b", "atomic_uint", 4, 4, {kDLUInt, 32, 1}, 1, 0, 1, 1, "<metal>", 4, 75},
        {INGOT_METAL_ARGUMENT_CONSTANT, 0, 1, "c", "pair", 8, 4, {0, 0, 0}, 0, 1, 1, 0, "<metal>", 5, 20},
        {INGOT_METAL_ARGUMENT_THREADGROUP, 2, 1, "d", "packed_half3", 6, 2, {kDLFloat, 16, 3}, 0, 0, 0, 1, "<metal>", 5, 63},
        {INGOT_METAL_ARGUMENT_DEVICE, 7, 1, "unused", "float3", 16, 16, {kDLFloat, 32, 3}, 0, 0, 0, 0, "<metal>", 6, 20},
        {INGOT_METAL_ARGUMENT_DEVICE, 8, 1, "only_written", "bfloat", 2, 2, {kDLBfloat, 16, 1}, 0, 0, 0, 1, "<metal>", 6, 57}};
    for (size_t i = 0; i < 6; ++i) {
        ingot_metal_argument a;
        const ingot_metal_argument *e = &expected[i];
        assert_int_equal(ingot_metal_function_argument(f, i, &a), INGOT_OK);
        assert_string_equal(a.name, e->name);
        assert_string_equal(a.type, e->type);
        assert_string_equal(a.file, e->file);
        const long long got[] = {a.kind, a.index, (long long)a.size, (long long)a.alignment, a.dtype.code, a.dtype.bits,
                                 a.dtype.lanes, a.is_reference, a.is_const, a.is_read, a.is_written, a.line, a.column};
        const long long want[] = {e->kind, e->index, (long long)e->size, (long long)e->alignment, e->dtype.code, e->dtype.bits,
                                  e->dtype.lanes, e->is_reference, e->is_const, e->is_read, e->is_written, e->line,
                                  e->column};
        for (size_t k = 0; k < sizeof got / sizeof got[0]; ++k)
            if (got[k] != want[k]) fail_msg("argument %s, fact %zu: %lld, not %lld", e->name, k, got[k], want[k]);
    }
    ingot_metal_argument a;
    assert_int_equal(ingot_metal_function_argument(f, 6, &a), INGOT_NOT_FOUND);
    ingot_metal_function_release(f);
    metal_close(&m);
}

/* Headers and macros. */
typedef struct headers {
    unsigned asked;
} headers;

static int include(void *user, const char *name, const char *from, int angled, const char **path, const char **source,
                   size_t *size)
{
    headers *h = user;
    static char buffer[64]; /* overwritten at each call: what is handed out is copied */
    ++h->asked;
    if (strcmp(name, "ops.h") == 0 && !angled && strcmp(from, "main.metal") == 0)
        (void)snprintf(buffer, sizeof buffer, "#include <deep.h>\n#define OP(x) ((x) + BASE + DEEP)\n");
    else if (strcmp(name, "deep.h") == 0 && angled && strcmp(from, "dir/ops.h") == 0)
        (void)snprintf(buffer, sizeof buffer, "#define DEEP 1000\n");
    else
        return 0;
    *path = strcmp(name, "ops.h") == 0 ? "dir/ops.h" : NULL;
    *source = buffer;
    *size = strlen(buffer);
    return 1;
}

static void test_headers(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    headers h = {0};
    const ingot_metal_define defines[] = {{"BASE", "20"}, {"FLAG", NULL}};
    ingot_metal_library_options options = INGOT_METAL_LIBRARY_OPTIONS_INIT;
    options.file_name = "main.metal";
    options.include = include;
    options.include_user = &h;
    options.defines = defines;
    options.define_count = 2;
    options.version = 310;
    ingot_metal_library *library =
        read_library(m.device,
                     "#include \"ops.h\"\n#ifndef FLAG\n#error no flag\n#endif\nconstant int add [[function_constant(0)]];\n"
                     "kernel void f(device int *x [[buffer(0)]]) { x[0] = OP(x[0]) + add; x[1] = __METAL_VERSION__; }\n",
                     &options);
    assert_int_equal(h.asked, 2);
    const ingot_metal_constant add = {"add", 0, ingot_int(-4)};
    ingot_metal_pipeline *p = pipeline_of(library, "f", &add, 1);
    assert_int_equal(h.asked, 2); /* kept, not asked for again */
    const int32_t in[2] = {1, 0};
    ingot_metal_buffer *x = buffer_of(&m, in, sizeof in);
    check(ingot_metal_encoder_set_pipeline(m.encoder, p, &error), &error);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
    check(finish_work(&m, &error), &error);
    const int32_t expected[2] = {1 + 20 + 1000 - 4, 310};
    assert_memory_equal(ingot_metal_buffer_contents(x), expected, sizeof expected);
    ingot_metal_library *none;
    static const char missing[] = "#include \"missing.h\"\n";
    assert_int_equal(ingot_metal_library_create(m.device, missing, sizeof missing - 1, &options, &none, &error), INGOT_SYNTAX);
    assert_non_null(strstr(error.message, "missing.h"));
    options.version = 315;
    assert_int_equal(ingot_metal_library_create(m.device, text, strlen(text), &options, &none, &error), INGOT_VALUE);
    ingot_metal_buffer_release(x);
    ingot_metal_pipeline_release(p);
    ingot_metal_library_release(library);
    metal_close(&m);
}

static void count_diagnostic(void *user, const ingot_diagnostic *d)
{
    unsigned *lines = user;
    assert_string_equal(d->file, "bad.metal");
    assert_true(strlen(d->text) > strlen(d->message));
    if (d->severity == INGOT_SEVERITY_ERROR) *lines = *lines * 10 + d->line;
}

static void test_wrong_text(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    unsigned lines = 0;
    ingot_metal_library *library;
    ingot_metal_library_options options = INGOT_METAL_LIBRARY_OPTIONS_INIT;
    options.file_name = "bad.metal";
    options.on_diagnostic = count_diagnostic;
    options.user = &lines;
    static const char bad[] = "kernel void f(device int *x [[buffer(0)]])\n{ x[0] = unknown;\n  x[1] = missing; }\n";
    assert_int_equal(ingot_metal_library_create(m.device, bad, sizeof bad - 1, &options, &library, &error), INGOT_SYNTAX);
    assert_null(library);
    assert_int_equal(lines, 23); /* one on line 2, one on line 3 */
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 10);
    assert_int_equal(ingot_metal_library_create(m.device, NULL, 4, NULL, &library, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_metal_library_create(NULL, bad, 4, NULL, &library, &error), INGOT_INVALID_ARGUMENT);
    options.struct_size = 1;
    assert_int_equal(ingot_metal_library_create(m.device, bad, 4, &options, &library, &error), INGOT_INVALID_ARGUMENT);
    metal_close(&m);
}

/* A call that is refused is told at once and again by commit, and nothing runs. */
static void refused(metal *m, ingot_status got, ingot_status wanted, const char *part, const ingot_error *error)
{
    ingot_error again = {0};
    assert_int_equal(got, wanted);
    if (strstr(error->message, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", error->message, part);
    assert_int_equal(ingot_metal_encoder_end(m->encoder, NULL), INGOT_OK);
    assert_int_equal(ingot_metal_command_buffer_commit(m->work, &again), wanted);
    assert_string_equal(again.message, error->message);
    ingot_metal_encoder_release(m->encoder);
    ingot_metal_command_buffer_release(m->work);
    check(ingot_metal_command_buffer_create(m->queue, &m->work, &again), &again);
    check(ingot_metal_encoder_create(m->work, &m->encoder, &again), &again);
}

static void test_refusals(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    const uint32_t one[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {65, 1, 1}, huge[3] = {UINT32_MAX, 1, 1};
    char bytes[4097] = {0};
    ingot_metal_buffer *x = buffer_of(&m, bytes, 64);
    refused(&m, ingot_metal_encoder_dispatch_threadgroups(m.encoder, one, one, &error), INGOT_VALUE, "set_pipeline", &error);
    refused(&m, ingot_metal_encoder_set_buffer(m.encoder, x, 65, 0, &error), INGOT_VALUE, "past the end", &error);
    refused(&m, ingot_metal_encoder_set_buffer(m.encoder, x, 0, 31, &error), INGOT_VALUE, "0 to 30", &error);
    refused(&m, ingot_metal_encoder_set_bytes(m.encoder, bytes, 4097, 0, &error), INGOT_LIMIT, "4096", &error);
    refused(&m, ingot_metal_encoder_set_bytes(m.encoder, NULL, 4, 0, &error), INGOT_INVALID_ARGUMENT, "no bytes", &error);
    refused(&m, ingot_metal_encoder_set_threadgroup_memory_length(m.encoder, 20, 0, &error), INGOT_VALUE, "multiple of 16",
            &error);
    use(&m, "reverse", NULL, 0);
    refused(&m, ingot_metal_encoder_dispatch_threadgroups(m.encoder, one, none, &error), INGOT_VALUE, "no threads", &error);
    use(&m, "reverse", NULL, 0);
    refused(&m, ingot_metal_encoder_dispatch_threadgroups(m.encoder, one, many, &error), INGOT_LIMIT, "65 x 1 x 1", &error);
    use(&m, "reverse", NULL, 0);
    refused(&m, ingot_metal_encoder_dispatch_threadgroups(m.encoder, huge, (uint32_t[3]){2, 1, 1}, &error), INGOT_LIMIT,
            "32 bits", &error);
    use(&m, "reverse", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 2, 0, &error), &error);
    refused(&m, ingot_metal_encoder_dispatch_threadgroups(m.encoder, one, one, &error), INGOT_VALUE,
            "offset 2 of 'x' [[buffer(0)]]", &error);
    ingot_metal_encoder *second;
    assert_int_equal(ingot_metal_encoder_create(m.work, &second, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_metal_command_buffer_commit(m.work, &error), INGOT_INVALID_ARGUMENT); /* not ended */
    assert_int_equal(ingot_metal_command_buffer_wait(m.work, &error), INGOT_INVALID_ARGUMENT);   /* not committed */
    check(ingot_metal_encoder_end(m.encoder, &error), &error);
    assert_int_equal(ingot_metal_encoder_end(m.encoder, &error), INGOT_INVALID_ARGUMENT);
    ingot_metal_buffer_release(x);
    metal_close(&m);
}

/* A fault names kernel, place, buffer and thread; later dispatches do not run. */
static void test_fault(void **state)
{
    (void)state;
    metal m = metal_open("kernel void past(device int *data [[buffer(5)]], uint i [[thread_position_in_grid]])\n"
                         "{\n  data[i * 2] = 1;\n}\n");
    ingot_error error = {0};
    int32_t in[4] = {0};
    ingot_metal_buffer *x = buffer_of(&m, in, sizeof in), *y = buffer_of(&m, in, sizeof in);
    use(&m, "past", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 5, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){3, 1, 1}, (uint32_t[3]){3, 1, 1}, &error), &error);
    check(ingot_metal_encoder_set_buffer(m.encoder, y, 0, 5, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
    assert_int_equal(finish_work(&m, &error), INGOT_DEVICE);
    static const char *const parts[] = {"kernel 'past'", "<metal>:3:", "'data'", "[[buffer(5)]]", "thread (2, 0, 0)"};
    for (size_t i = 0; i < 5; ++i)
        if (strstr(error.message, parts[i]) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, parts[i]);
    assert_int_equal(error.line, 3);
    assert_int_equal(*(const int32_t *)ingot_metal_buffer_contents(y), 0);
    assert_int_equal(ingot_metal_command_buffer_wait(m.work, &error), INGOT_DEVICE); /* says so again */
    ingot_metal_buffer_release(x);
    ingot_metal_buffer_release(y);
    metal_close(&m);
}

static void count_drop(void *user)
{
    ++*(int *)user;
}

static void test_wrap(void **state)
{
    (void)state;
    metal m = metal_open(text);
    ingot_error error = {0};
    int dropped = 0;
    int32_t own[2] = {1, 2};
    ingot_metal_buffer *x;
    check(ingot_metal_buffer_wrap(m.device, own, sizeof own, count_drop, &dropped, &x, &error), &error);
    assert_ptr_equal(ingot_metal_buffer_contents(x), own);
    use(&m, "reverse", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, x, 0, 0, &error), &error);
    ingot_metal_buffer_release(x);
    assert_int_equal(dropped, 0); /* the encoder has it */
    check(ingot_metal_encoder_set_threadgroup_memory_length(m.encoder, 16, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){2, 1, 1}, (uint32_t[3]){2, 1, 1}, &error), &error);
    check(finish_work(&m, &error), &error);
    assert_int_equal(own[0], 2);
    assert_int_equal(own[1], 1);
    metal_close(&m);
    assert_int_equal(dropped, 1);
    assert_int_equal(ingot_metal_buffer_wrap(NULL, own, 8, NULL, NULL, &x, &error), INGOT_INVALID_ARGUMENT);
    ingot_metal_buffer_release(NULL);
    ingot_metal_device_release(NULL);
    ingot_metal_library_release(NULL);
    ingot_metal_function_release(NULL);
    ingot_metal_pipeline_release(NULL);
    ingot_metal_queue_release(NULL);
    ingot_metal_command_buffer_release(NULL);
    ingot_metal_encoder_release(NULL);
}

static void test_limits(void **state)
{
    (void)state;
    ingot_metal_device *d;
    ingot_metal_limits l;
    ingot_error error = {0};
    check(ingot_metal_device_create(1, NULL, &d, &error), &error);
    ingot_metal_device_limits(d, &l);
    assert_int_equal(l.max_total_threads_per_threadgroup, 1024);
    assert_int_equal(l.max_threadgroup_memory_length, 32768);
    assert_int_equal(l.max_buffers, 31);
    assert_int_equal(l.thread_execution_width, 32);
    assert_true(strlen(ingot_metal_device_name(d)) > 0);
    ingot_metal_device_release(d);
    assert_int_equal(ingot_metal_device_create(1, NULL, NULL, &error), INGOT_INVALID_ARGUMENT);
}

/* Several threads share library and buffers; each has a command buffer of its own. */
typedef struct sharing {
    metal *m;
    ingot_metal_buffer *x;
    uint32_t index;
} sharing;

static void *share(void *user)
{
    const sharing *s = user;
    for (int round = 0; round < 4; ++round) {
        const ingot_metal_constant constant = {"negate", 0, ingot_bool(round & 1)};
        ingot_metal_pipeline *p = pipeline_of(s->m->library, "maybe_negate", &constant, 1);
        ingot_metal_command_buffer *work;
        ingot_metal_encoder *e;
        ingot_error error = {0};
        check(ingot_metal_command_buffer_create(s->m->queue, &work, &error), &error);
        check(ingot_metal_encoder_create(work, &e, &error), &error);
        check(ingot_metal_encoder_set_pipeline(e, p, &error), &error);
        check(ingot_metal_encoder_set_buffer(e, s->x, s->index * (size_t)4, 0, &error), &error);
        check(ingot_metal_encoder_dispatch_threads(e, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
        check(ingot_metal_encoder_end(e, &error), &error);
        check(ingot_metal_command_buffer_commit(work, &error), &error);
        check(ingot_metal_command_buffer_wait(work, &error), &error);
        ingot_metal_encoder_release(e);
        ingot_metal_command_buffer_release(work);
        ingot_metal_pipeline_release(p);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    metal m = metal_open(text);
    const int32_t in[4] = {0, 1, 2, 3}, expected[4] = {0, 1, 2, 3}; /* +100, negated, +100, negated: as it was */
    ingot_metal_buffer *x = buffer_of(&m, in, sizeof in);
    sharing shares[4];
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; ++i) {
        shares[i] = (sharing){&m, x, i};
        assert_int_equal(pthread_create(&threads[i], NULL, share, &shares[i]), 0);
    }
    for (int i = 0; i < 4; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_memory_equal(ingot_metal_buffer_contents(x), expected, sizeof expected);
    ingot_metal_buffer_release(x);
    metal_close(&m);
}

/* Memory that runs out at the n-th request. */
typedef struct short_memory {
    size_t left, held;
} short_memory;

static void *take(void *user, void *ptr, size_t old_size, size_t new_size)
{
    short_memory *s = user;
    if (new_size == 0) {
        s->held -= old_size;
        free(ptr);
        return NULL;
    }
    if (s->left == 0) return NULL;
    --s->left;
    void *to = realloc(ptr, new_size);
    if (to != NULL) s->held += new_size - old_size;
    return to;
}

static ingot_status flow(const ingot_allocator *mem, ingot_error *error)
{
    const int32_t five = 5;
    const ingot_metal_constant negate = {"negate", 0, ingot_bool(1)};
    ingot_metal_device *d = NULL;
    ingot_metal_library *l = NULL;
    ingot_metal_function *f = NULL;
    ingot_metal_pipeline *p = NULL;
    ingot_metal_buffer *x = NULL;
    ingot_metal_queue *q = NULL;
    ingot_metal_command_buffer *work = NULL;
    ingot_metal_encoder *e = NULL;
    const uint32_t one[3] = {1, 1, 1};
    ingot_status s = ingot_metal_device_create(1, mem, &d, error);
    if (s == INGOT_OK) s = ingot_metal_library_create(d, text, strlen(text), NULL, &l, error);
    if (s == INGOT_OK) s = ingot_metal_function_create(l, "maybe_negate", &negate, 1, &f, error);
    if (s == INGOT_OK) s = ingot_metal_pipeline_create(f, &p, error);
    if (s == INGOT_OK) s = ingot_metal_buffer_create_with_bytes(d, &five, 4, &x, error);
    if (s == INGOT_OK) s = ingot_metal_queue_create(d, &q, error);
    if (s == INGOT_OK) s = ingot_metal_command_buffer_create(q, &work, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_create(work, &e, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_set_pipeline(e, p, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_set_buffer(e, x, 0, 0, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_set_bytes(e, &five, 4, 1, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_dispatch_threads(e, one, one, error);
    if (s == INGOT_OK) s = ingot_metal_encoder_end(e, error);
    if (s == INGOT_OK) s = ingot_metal_command_buffer_commit(work, error);
    if (s == INGOT_OK) s = ingot_metal_command_buffer_wait(work, error);
    if (s == INGOT_OK) assert_int_equal(*(const int32_t *)ingot_metal_buffer_contents(x), -5);
    ingot_metal_encoder_release(e);
    ingot_metal_command_buffer_release(work);
    ingot_metal_queue_release(q);
    ingot_metal_buffer_release(x);
    ingot_metal_pipeline_release(p);
    ingot_metal_function_release(f);
    ingot_metal_library_release(l);
    ingot_metal_device_release(d);
    return s;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    ingot_status status = INGOT_OUT_OF_MEMORY;
    size_t n = 0;
    for (; status != INGOT_OK && n < 2000; ++n) {
        short_memory s = {.left = n};
        const ingot_allocator mem = {take, &s};
        ingot_error error = {0};
        status = flow(&mem, &error);
        assert_int_equal(s.held, 0);
        if (status != INGOT_OK) assert_int_equal(status, INGOT_OUT_OF_MEMORY);
    }
    assert_int_equal(status, INGOT_OK);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_scale),      cmocka_unit_test(test_order), cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_threadgroup_memory), cmocka_unit_test(test_constants), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_headers),  cmocka_unit_test(test_wrong_text), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_fault),    cmocka_unit_test(test_wrap),       cmocka_unit_test(test_threads),
        cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
