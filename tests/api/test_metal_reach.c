/* labels: quick thread */
/* Metal's terms in C beyond buffers: textures and samplers, argument buffers by address, indirect grids; and checks of all. */
#include "metal_test.h"

#include <string.h>

static const char text[] =
    "#include <metal_stdlib>\n"
    "using namespace metal;\n"
    "kernel void blur(texture2d<float, access::sample> in [[texture(0)]], texture2d<float, access::write> out [[texture(2)]],\n"
    "                 sampler s [[sampler(1)]], uint2 i [[thread_position_in_grid]])\n"
    "{ out.write(in.sample(s, float2(i) + 1.0f), i); }\n"
    "struct arguments { device const float *x; device float *y; texture2d<float, access::read> t; sampler s; float scale; };\n"
    "kernel void reach(constant arguments &a [[buffer(0)]], uint i [[thread_position_in_grid]])\n"
    "{ a.y[i] = a.x[i] * a.scale + a.t.read(uint2(i % 2, i / 2)).x; }\n"
    "kernel void count(device atomic_uint *n [[buffer(0)]]) { atomic_fetch_add_explicit(n, 1u, memory_order_relaxed); }\n";

static metal metal_open(void)
{
    metal m = metal_start();
    ingot_error error = {0};
    check(ingot_metal_library_create(m.device, text, sizeof text - 1, NULL, &m.library, &error), &error);
    return m;
}

/* How the work ended, or why it was not taken. */
static ingot_status finish(metal *m, ingot_error *error)
{
    check(ingot_metal_encoder_end(m->encoder, error), error);
    const ingot_status status = ingot_metal_command_buffer_commit(m->work, error);
    return status == INGOT_OK ? ingot_metal_command_buffer_wait(m->work, error) : status;
}

static ingot_metal_texture *texture_of(metal *m, uint32_t width, uint32_t height, const float *pixels)
{
    ingot_metal_texture_descriptor d = INGOT_METAL_TEXTURE_DESCRIPTOR_INIT;
    d.pixel_format = ingot_metal_pixel_format("r32float");
    d.width = width;
    d.height = height;
    ingot_metal_texture *t;
    ingot_error error = {0};
    check(ingot_metal_texture_create(m->device, &d, &t, &error), &error);
    assert_int_equal(ingot_metal_texture_level_bytes(t, 0), width * height * 4);
    if (pixels != NULL) check(ingot_metal_texture_write(t, 0, pixels, width * height * 4, &error), &error);
    return t;
}

static ingot_checker *checker_of(unsigned checks)
{
    ingot_checker_options options = INGOT_CHECKER_OPTIONS_INIT;
    options.checks = checks;
    ingot_checker *checker;
    ingot_error error = {0};
    check(ingot_checker_create(&options, NULL, &checker, &error), &error);
    return checker;
}

/* A linear sampler in pixel coordinates at the corner of four pixels gives their mean. */
static void test_textures(void **state)
{
    (void)state;
    metal m = metal_open();
    ingot_error error = {0};
    static const float pixels[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    ingot_metal_texture *in = texture_of(&m, 3, 3, pixels), *out = texture_of(&m, 2, 2, NULL);
    ingot_metal_sampler_descriptor d = INGOT_METAL_SAMPLER_DESCRIPTOR_INIT;
    d.min_filter = d.mag_filter = 1;
    d.normalized = 0;
    ingot_metal_sampler *s;
    check(ingot_metal_sampler_create(m.device, &d, &s, &error), &error);
    use(&m, "blur", NULL, 0);
    check(ingot_metal_encoder_set_texture(m.encoder, in, 0, &error), &error);
    check(ingot_metal_encoder_set_texture(m.encoder, out, 2, &error), &error);
    check(ingot_metal_encoder_set_sampler(m.encoder, s, 1, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){2, 2, 1}, (uint32_t[3]){2, 2, 1}, &error), &error);
    check(finish(&m, &error), &error);
    float got[4];
    check(ingot_metal_texture_read(out, 0, got, sizeof got, &error), &error);
    assert_true(got[0] == 2 && got[1] == 3 && got[2] == 5 && got[3] == 6); /* (0 + 1 + 3 + 4) / 4, ... */
    assert_int_equal(ingot_metal_texture_read(out, 1, got, sizeof got, &error), INGOT_VALUE);
    assert_int_equal(ingot_metal_texture_write(out, 0, got, 4, &error), INGOT_VALUE);
    ingot_metal_texture_release(in);
    ingot_metal_texture_release(out);
    ingot_metal_sampler_release(s);
    metal_close(&m);
}

typedef struct arguments {
    uint64_t x, y, t, s;
    float scale, padding;
} arguments;

/* What the kernel reads through, and the memory there. */
typedef struct reached {
    ingot_metal_buffer *x, *y, *a;
    ingot_metal_texture *t;
    ingot_metal_sampler *s;
} reached;

static reached reach(metal *m)
{
    static const float x[6] = {-1, -1, 1, 2, 3, 4}, y[4] = {0}, pixels[4] = {10, 20, 30, 40};
    ingot_error error = {0};
    reached r = {.x = buffer_of(m, x, sizeof x), .y = buffer_of(m, y, sizeof y), .t = texture_of(m, 2, 2, pixels)};
    check(ingot_metal_sampler_create(m->device, NULL, &r.s, &error), &error);
    arguments a = {.scale = 0.5F};
    a.x = ingot_metal_buffer_gpu_address(r.x) + 8; /* from the 1 on */
    a.y = ingot_metal_buffer_gpu_address(r.y);
    a.t = ingot_metal_texture_gpu_resource_id(r.t);
    a.s = ingot_metal_sampler_gpu_resource_id(r.s);
    assert_true(a.y != 0 && a.x != a.y && a.t != 0 && a.s != 0);
    assert_true(ingot_metal_buffer_gpu_address(r.y) == a.y);
    r.a = buffer_of(m, &a, sizeof a);
    use(m, "reach", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m->encoder, r.a, 0, 0, &error), &error);
    check(ingot_metal_encoder_use_buffer(m->encoder, r.x, &error), &error);
    check(ingot_metal_encoder_use_texture(m->encoder, r.t, &error), &error);
    return r;
}

static void reached_release(reached *r)
{
    ingot_metal_buffer_release(r->x);
    ingot_metal_buffer_release(r->y);
    ingot_metal_buffer_release(r->a);
    ingot_metal_texture_release(r->t);
    ingot_metal_sampler_release(r->s);
}

static void test_addresses(void **state)
{
    (void)state;
    metal m = metal_open();
    ingot_error error = {0};
    reached r = reach(&m);
    check(ingot_metal_encoder_use_buffer(m.encoder, r.y, &error), &error);
    check(ingot_metal_encoder_use_buffer(m.encoder, r.y, &error), &error); /* again is no more */
    ingot_metal_buffer *y = r.y;
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){4, 1, 1}, (uint32_t[3]){4, 1, 1}, &error), &error);
    ingot_metal_texture_release(r.t); /* the dispatch keeps it */
    r.t = NULL;
    check(finish(&m, &error), &error);
    const float *got = ingot_metal_buffer_contents(y);
    assert_true(got[0] == 10.5F && got[1] == 21 && got[2] == 31.5F && got[3] == 42);
    reached_release(&r);
    metal_close(&m);
}

/* Without use_buffer nothing is there; past its end is out of bounds; both are told as findings too. */
static void test_reach_checked(void **state)
{
    (void)state;
    metal m = metal_open();
    ingot_error error = {0};
    reached r = reach(&m);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1, 1, 1}, &error), &error);
    assert_int_equal(finish(&m, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "where nothing is bound"));
    reached_release(&r);
    metal_end_work(&m);
    metal_begin_work(&m);
    ingot_checker *checker = checker_of(INGOT_CHECK_ALL);
    check(ingot_metal_command_buffer_check(m.work, checker, &error), &error);
    r = reach(&m);
    check(ingot_metal_buffer_forget(r.x, &error), &error);
    check(ingot_metal_buffer_mark(r.x, 0, 20, &error), &error);
    check(ingot_metal_texture_forget(r.t, &error), &error);
    check(ingot_metal_encoder_use_buffer(m.encoder, r.y, &error), &error);
    check(ingot_metal_encoder_dispatch_threads(m.encoder, (uint32_t[3]){5, 1, 1}, (uint32_t[3]){5, 1, 1}, &error), &error);
    check(finish(&m, &error), &error);
    unsigned rules[3] = {0};
    ingot_finding f;
    for (size_t i = 0; ingot_checker_finding(checker, i, &f) == INGOT_OK; ++i) {
        rules[0] += strcmp(f.rule, "out-of-bounds") == 0 && f.memory == INGOT_MEMORY_RESOURCE;
        rules[1] += strcmp(f.rule, "uninitialised-device") == 0 && f.memory == INGOT_MEMORY_RESOURCE && f.element == 5;
        rules[2] += strcmp(f.rule, "uninitialised-texture") == 0 && f.memory == INGOT_MEMORY_TEXTURE;
    }
    assert_true(rules[0] == 2 && rules[1] == 1 && rules[2] == 1); /* thread 4 reads x[4] and writes y[4] */
    ingot_checker_release(checker);
    reached_release(&r);
    metal_close(&m);
}

static void test_members(void **state)
{
    (void)state;
    metal m = metal_open();
    ingot_error error = {0};
    ingot_metal_function *f;
    check(ingot_metal_function_create(m.library, "reach", NULL, 0, &f, &error), &error);
    ingot_metal_member one;
    static const struct {
        const char *name, *type;
        ingot_metal_argument_kind kind;
        size_t offset;
    } want[] = {{"x", "float", INGOT_METAL_ARGUMENT_DEVICE, 0},
                {"y", "float", INGOT_METAL_ARGUMENT_DEVICE, 8},
                {"t", "texture2d<float, access::read>", INGOT_METAL_ARGUMENT_TEXTURE, 16},
                {"s", "sampler", INGOT_METAL_ARGUMENT_SAMPLER, 24},
                {"scale", "float", INGOT_METAL_ARGUMENT_VALUE, 32}};
    for (size_t i = 0; i < sizeof want / sizeof *want; ++i) {
        check(ingot_metal_function_member(f, 0, i, &one), &error);
        assert_string_equal(one.info.name, want[i].name);
        assert_string_equal(one.info.type, want[i].type);
        assert_int_equal(one.info.kind, want[i].kind);
        assert_int_equal(one.offset, want[i].offset);
    }
    assert_true(one.info.dtype.code == kDLFloat && one.info.dtype.bits == 32);
    check(ingot_metal_function_member(f, 0, 0, &one), &error);
    assert_true(one.info.is_const && one.info.size == 4);
    assert_int_equal(ingot_metal_function_member(f, 0, 5, &one), INGOT_NOT_FOUND);
    assert_int_equal(ingot_metal_function_member(f, 1, 0, &one), INGOT_NOT_FOUND);
    ingot_metal_function_release(f);
    metal_close(&m);
}

/* The grid stands in a buffer that is read when the dispatch runs. */
static void test_indirect(void **state)
{
    (void)state;
    metal m = metal_open();
    ingot_error error = {0};
    const uint32_t zero = 0, grid[4] = {99, 3, 2, 2};
    ingot_metal_buffer *n = buffer_of(&m, &zero, 4), *sizes = buffer_of(&m, grid, sizeof grid);
    use(&m, "count", NULL, 0);
    check(ingot_metal_encoder_set_buffer(m.encoder, n, 0, 0, &error), &error);
    check(ingot_metal_encoder_dispatch_threadgroups_indirect(m.encoder, sizes, 4, (uint32_t[3]){5, 1, 1}, &error), &error);
    check(finish(&m, &error), &error);
    assert_int_equal(*(uint32_t *)ingot_metal_buffer_contents(n), 3 * 2 * 2 * 5);
    metal_end_work(&m);
    metal_begin_work(&m);
    use(&m, "count", NULL, 0);
    assert_int_equal(ingot_metal_encoder_dispatch_threadgroups_indirect(m.encoder, sizes, 8, (uint32_t[3]){1, 1, 1}, &error), INGOT_VALUE);
    assert_int_equal(ingot_metal_encoder_dispatch_threadgroups_indirect(m.encoder, sizes, 2, (uint32_t[3]){1, 1, 1}, &error), INGOT_VALUE);
    assert_int_equal(finish(&m, &error), INGOT_VALUE); /* kept for commit */
    ingot_metal_buffer_release(n);
    ingot_metal_buffer_release(sizes);
    metal_close(&m);
}

static const char *const left_over =
    "kernel void add(device const float *a [[buffer(0)]], device float *o [[buffer(1)]], constant float &x [[buffer(2)]], threadgroup float *t "
    "[[threadgroup(0)]]) { t[0] = x; o[0] = a[0] + t[0]; }\n"
    "kernel void twice(device const float *a [[buffer(0)]], device float *o [[buffer(1)]]) { o[0] = 2 * a[0]; }\n";

/* What host code binds for one dispatch may stay for the next one, whose kernel lacks the slot; what is bound for it may not. */
static void test_bindings_left_over(void **state)
{
    (void)state;
    for (int bound_again = 0; bound_again < 2; ++bound_again) {
        metal m = metal_start();
        ingot_error error = {0};
        check(ingot_metal_library_create(m.device, left_over, strlen(left_over), NULL, &m.library, &error), &error);
        float values[4] = {3, 0, 0, 0}, x = 1;
        ingot_metal_buffer *b[2];
        for (int i = 0; i < 2; ++i) check(ingot_metal_buffer_create_with_bytes(m.device, values, sizeof values, &b[i], &error), &error);
        ingot_metal_pipeline *p[2] = {pipeline_of(m.library, "add", NULL, 0), pipeline_of(m.library, "twice", NULL, 0)};
        ingot_checker *checker = checker_of(INGOT_CHECK_ALL);
        check(ingot_metal_command_buffer_check(m.work, checker, &error), &error);
        const uint32_t one[3] = {1, 1, 1};
        for (int i = 0; i < 2; ++i) {
            check(ingot_metal_encoder_set_pipeline(m.encoder, p[i], &error), &error);
            for (uint32_t k = 0; k < 2; ++k) check(ingot_metal_encoder_set_buffer(m.encoder, b[k], 0, k, &error), &error);
            if (i == 0 || bound_again) check(ingot_metal_encoder_set_bytes(m.encoder, &x, sizeof x, 2, &error), &error);
            if (i == 0) check(ingot_metal_encoder_set_threadgroup_memory_length(m.encoder, 16, 0, &error), &error);
            check(ingot_metal_encoder_dispatch_threads(m.encoder, one, one, &error), &error);
        }
        check(finish(&m, &error), &error);
        ingot_finding f;
        assert_int_equal(ingot_checker_count(checker), bound_again);
        if (bound_again) check(ingot_checker_finding(checker, 0, &f), &error);
        if (bound_again) assert_string_equal(f.rule, "unused-buffer");
        assert_true(*(float *)ingot_metal_buffer_contents(b[1]) == 6);
        ingot_checker_release(checker);
        for (int i = 0; i < 2; ++i) ingot_metal_pipeline_release(p[i]);
        for (int i = 0; i < 2; ++i) ingot_metal_buffer_release(b[i]);
        metal_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_textures), cmocka_unit_test(test_addresses),
                                       cmocka_unit_test(test_reach_checked),
                                       cmocka_unit_test(test_bindings_left_over), cmocka_unit_test(test_members),
                                       cmocka_unit_test(test_indirect)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
