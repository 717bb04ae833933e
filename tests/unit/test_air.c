/* The AIR component: kernels built from text and run from the metallib, faults, damage behind right hashes. */
#include "test.h"

#include <math.h>

#include "air/air.h"
#include "base/error.h"
#include "pack/metallib_write.h"
#include "rt/component.h"

static const air_component *air;

static int find_component(void **state)
{
    (void)state;
    ingot_error error;
    air = rt_component(&error);
    if (air == NULL) printf("skipped: %s\n", error.message);
    return 0;
}

#define NEEDS_COMPONENT                                                                                                \
    do {                                                                                                               \
        if (air == NULL) skip();                                                                                       \
    } while (0)

static buf library_of(const char *body)
{
    buf text = buf_make(&mem_default), out = buf_make(&mem_default);
    ingot_error error;
    const air_target target = {.precise = true};
    buf_printf(&text, "#include <metal_stdlib>\nusing namespace metal;\n%s", body);
    if (air->build(&mem_default, buf_view(&text), STR("t.metal"), &target, &out, NULL, &error) != INGOT_OK) fail_msg("%s", error.message);
    buf_free(&text);
    return out;
}

static air_kernel *load(const buf *library, const char *name)
{
    ingot_error error;
    air_kernel *k = NULL;
    const air_source source = {.bytes = buf_view(library), .kernel = name};
    if (air->load(&mem_default, &source, &k, &error) != INGOT_OK) fail_msg("%s", error.message);
    return k;
}

/* Runs kernel k of the text over one or more groups of `threads`. */
static ingot_status run(const char *body, air_binding *buffers, size_t count, uint32_t groups, uint32_t threads, ingot_error *error)
{
    buf library = library_of(body);
    air_kernel *k = load(&library, "k");
    const air_launch launch = {.kernel = k, .buffers = buffers, .buffer_count = count, .groups = {groups, 1, 1}, .threads = {threads, 1, 1}};
    const ingot_status status = air->run(&launch, error);
    air->free(k);
    buf_free(&library);
    return status;
}

static void must_run(const char *body, air_binding *buffers, size_t count, uint32_t groups, uint32_t threads)
{
    ingot_error error;
    if (run(body, buffers, count, groups, threads, &error) != INGOT_OK) fail_msg("%s", error.message);
}

static void must_fail(const char *body, air_binding *buffers, size_t count, uint32_t threads, const char *part)
{
    ingot_error error;
    assert_int_equal(run(body, buffers, count, 1, threads, &error), INGOT_DEVICE);
    if (strstr(error.message, part) == NULL) fail_msg("'%s' is not in: %s", part, error.message);
}

/* What C++ leaves undefined, by the rules of the software device (emu.h). */
static void undefined_numbers_are_defined(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    int32_t in[4] = {7, 0, INT32_MIN, -1}, out[8] = {0};
    float big[3] = {3e9f, -3e9f, NAN};
    air_binding b[3] = {{in, sizeof in}, {out, sizeof out}, {big, sizeof big}};
    must_run("kernel void k(device int *a [[buffer(0)]], device int *o [[buffer(1)]], device float *f [[buffer(2)]]) {"
             " o[0] = a[0] / a[1]; o[1] = a[0] % a[1]; o[2] = a[2] / a[3]; o[3] = a[2] % a[3];"
             " o[4] = a[0] << (a[0] + 26); o[5] = int(f[0]); o[6] = int(f[1]); o[7] = int(f[2]); }",
             b, 3, 1, 1);
    const int32_t want[8] = {-1, 7, INT32_MIN, 0, 14, INT32_MAX, INT32_MIN, 0}; /* 7 << (33 mod 32) is 14 */
    assert_memory_equal(out, want, sizeof want);
}

/* Sums of 1 to 32 and of whole groups, by hand; a group of one thread; a simdgroup that parts. */
static void simdgroups(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    uint32_t out[64] = {0};
    air_binding b[1] = {{out, sizeof out}};
    must_run("kernel void k(device uint *o [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { o[i] = simd_sum(i % 32 + 1); }", b, 1, 1, 64);
    for (unsigned i = 0; i < 64; ++i) assert_int_equal(out[i], 528); /* 32 * 33 / 2 */
    must_run("kernel void k(device uint *o [[buffer(0)]]) { o[0] = simd_sum(5u) + simd_prefix_exclusive_sum(3u); }", b, 1, 1, 1);
    assert_int_equal(out[0], 5);
    must_run("kernel void k(device uint *o [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {"
             " uint r = 0; if (i % 2 == 0) r = simd_sum(1u); else r = simd_sum(100u); o[i] = r + simd_sum(0u); }",
             b, 1, 1, 32);
    for (unsigned i = 0; i < 32; ++i) assert_int_equal(out[i], i % 2 == 0 ? 16 : 1600);
}

/* Threadgroup memory through barriers: each thread reads what its neighbour wrote. */
static void barriers(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    uint32_t out[3 * 100];
    air_binding b[1] = {{out, sizeof out}};
    must_run("kernel void k(device uint *o [[buffer(0)]], uint i [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {"
             " threadgroup uint s[100]; for (uint r = 0; r < 3; ++r) { s[i] = i * 10 + r + g; threadgroup_barrier(mem_flags::mem_threadgroup);"
             " o[g * 100 + i] = s[(i + 1) % 100]; threadgroup_barrier(mem_flags::mem_threadgroup); } }",
             b, 1, 3, 100);
    for (unsigned g = 0; g < 3; ++g)
        for (unsigned i = 0; i < 100; ++i) assert_int_equal(out[g * 100 + i], (i + 1) % 100 * 10 + 2 + g);
}

/* Threads' numbers in types that are too narrow for all of them wrap, also where they are an index then. */
static void narrow_numbers_wrap(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    uint32_t out[64], table[256];
    uint8_t narrow[64];
    int8_t signs[64];
    air_binding b[4] = {{out, sizeof out}, {narrow, sizeof narrow}, {table, sizeof table}, {signs, sizeof signs}};
    for (uint32_t i = 0; i < 256; ++i) table[i] = 1000 + i;
    must_run("kernel void k(device uint *o [[buffer(0)]], device uchar *n [[buffer(1)]], device const uint *t [[buffer(2)]],"
             " uint i [[thread_position_in_threadgroup]]) { uchar v = uchar(i) * uchar(64); n[i] = v; o[i] = t[v]; }",
             b, 3, 1, 64);
    for (unsigned i = 0; i < 64; ++i) assert_int_equal(out[i], 1000 + i * 64 % 256);
    must_run("kernel void k(device uint *o [[buffer(0)]], device uchar *n [[buffer(1)]], device const uint *t [[buffer(2)]],"
             " uint i [[thread_position_in_threadgroup]]) { uchar v = uchar(200) - uchar(i) * uchar(24); n[i] = v; o[i] = t[v]; }",
             b, 3, 1, 64);
    for (unsigned i = 0; i < 64; ++i) assert_int_equal(out[i], 1000 + (200 + i * 232) % 256); /* -24 is 232 */
    must_run("kernel void k(device uint *o [[buffer(0)]], device uchar *n [[buffer(1)]], device const uint *t [[buffer(2)]],"
             " device char *s [[buffer(3)]], uint i [[thread_position_in_threadgroup]]) { char v = char(char(i) << 4); s[i] = v; o[i] = t[int(v) + 128]; }",
             b, 4, 1, 64);
    for (unsigned i = 0; i < 64; ++i) assert_int_equal(out[i], 1000 + (i * 16 + 128) % 256); /* 16 i as a signed byte, and 128 */
    /* 6 * 24 is the first beyond 127; 15 * 24 is within again. */
    must_fail("kernel void k(device uint *o [[buffer(0)]], device uchar *n [[buffer(1)]], uint i [[thread_position_in_threadgroup]])"
              " { threadgroup uint t[128]; uchar v = uchar(i) * uchar(24); n[i] = v; t[v] = i; o[i] = t[v]; }",
              b, 2, 16, "thread (6, 0, 0): a memory access out of bounds");
}

/* A place in a thread's own array that is come back to behind a barrier. */
static void places_across_barriers(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    uint32_t out[64];
    air_binding b[1] = {{out, sizeof out}};
    must_run("kernel void k(device uint *o [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { uint s[8]; for (uint q = 0; q < 8; ++q) s[q] = q;"
             " uint at = i * i % 7; s[at] += i; threadgroup_barrier(mem_flags::mem_threadgroup); s[at] *= 2; o[i] = s[at] + s[7]; }",
             b, 1, 1, 64);
    for (unsigned i = 0; i < 64; ++i) assert_int_equal(out[i], 2 * (i * i % 7 + i) + 7);
}

static void faults(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    float data[16] = {0};
    air_binding b[1] = {{data, sizeof data}};
    must_fail("kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = 1; }", b, 1, 17,
              "thread (16, 0, 0): a memory access out of bounds: 4 bytes at offset 64 of 'a' [[buffer(0)]], which has 64");
    must_fail("kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[int(i) - 1] = 1; }", b, 1, 1, "offset -4 of 'a'");
    must_fail("kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { float t[4] = {1, 2, 3, 4}; a[0] = t[i + 4]; }",
              b, 1, 1, "out of bounds");
    must_fail("kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { threadgroup float t[4]; t[i * 5] = 1; "
              "a[0] = t[0]; }", b, 1, 2, "out of bounds");
    must_fail("kernel void k(device float *a [[buffer(1)]]) { a[0] = 1; }", b, 1, 1, "which has 0");
    must_fail("kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { if (i < 3) "
              "threadgroup_barrier(mem_flags::mem_none); else threadgroup_barrier(mem_flags::mem_none); }", b, 1, 8, "wait at another one");
}

/* Checks that are proved before a loop, or for several accesses at once: the very lane and round is named that is too far, what lanes
 * that do not run would reach is no fault, and numbers that come round are seen to. */
static void accesses_in_loops(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    enum { N = 32, EACH = 5 };
    float data[N * EACH], sums[N] = {0};
    for (int i = 0; i < N * EACH; ++i) data[i] = (float)i;
    int32_t n = EACH;
    air_binding b[3] = {{data, sizeof data}, {sums, sizeof sums}, {&n, 4}};
    const char *const rows = "kernel void k(device const float *a [[buffer(0)]], device float *o [[buffer(1)]], constant int &n [[buffer(2)]],"
                             " uint i [[thread_position_in_grid]]) { for (int k = 0; k < n; ++k) o[i] += a[int(i) * n + k]; }";
    must_run(rows, b, 3, 1, N);
    for (int i = 0; i < N; ++i) assert_true(sums[i] == (float)(EACH * EACH * i + EACH * (EACH - 1) / 2));
    b[0].size -= 4;
    must_fail(rows, b, 3, N, "thread (31, 0, 0): a memory access out of bounds: 4 bytes at offset 636 of 'a' [[buffer(0)]], which has 636");
    b[0].size = 4 * 16 * EACH; /* of the lanes that run */
    sums[16] = -1;
    must_run("kernel void k(device const float *a [[buffer(0)]], device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) "
             "{ if (i < 16) for (uint k = 0; k < 5; ++k) o[i] = a[i * 5 + k]; }",
             b, 2, 1, N);
    assert_true(sums[15] == 79 && sums[16] == -1);
    must_fail("kernel void k(device const float *a [[buffer(0)]], device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) "
              "{ o[i] = a[i] + a[i + 1] + a[i + 49] + a[i + 2]; }",
              b, 2, N, "thread (31, 0, 0): a memory access out of bounds: 4 bytes at offset 320");
    must_fail("kernel void k(device const float *a [[buffer(0)]], device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) "
              "{ for (uint k = 0; k < 3; ++k) o[i] = a[i + 0xfffffffeu + k]; }",
              b, 2, N, "thread (0, 0, 0): a memory access out of bounds: 4 bytes at offset 17179869176");
    must_run("kernel void k(device const float *a [[buffer(0)]], device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) "
             "{ if (i > 1) for (uint k = 0; k < 3; ++k) o[i] = a[i + 0xfffffffeu + k]; }",
             b, 2, 1, N);
    assert_true(sums[2] == 2 && sums[31] == 31);
}

/* In every form of code: threads as lanes, one alone, with barriers, as fibres. */
static void limits(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    static const char *const loops[] = {
        "while (a[0] != 1) a[i + 1] += 1;",
        "for (;;) { threadgroup_barrier(mem_flags::mem_device); if (a[0] == 1) break; }",
        "if (i < 3) while (a[0] != 1) threadgroup_barrier(mem_flags::mem_device); else while (a[0] != 1) threadgroup_barrier(mem_flags::mem_device);",
    };
    uint32_t data[65] = {0};
    air_binding b[1] = {{data, sizeof data}};
    const int32_t cancel = 1;
    ingot_error error;
    for (size_t i = 0; i < 2 * (sizeof loops / sizeof *loops); ++i) {
        char text[400];
        (void)snprintf(text, sizeof text, "kernel void k(device volatile uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { %s }", loops[i / 2]);
        buf library = library_of(text);
        air_kernel *k = load(&library, "k");
        air_launch launch = {.kernel = k, .buffers = b, .buffer_count = 1, .groups = {1, 1, 1}, .threads = {i % 2 == 0 ? 64 : 1, 1, 1}, .budget = 5000};
        assert_int_equal(air->run(&launch, &error), INGOT_DEVICE);
        if (i / 2 != 2) assert_non_null(strstr(error.message, "stopped: the threadgroup ran longer than its budget of 5000 rounds of loops"));
        launch.budget = 0;
        launch.milliseconds = 20;
        assert_int_equal(air->run(&launch, &error), INGOT_DEVICE);
        if (i / 2 != 2) assert_non_null(strstr(error.message, "stopped: the launch ran longer than the 20 ms it was given"));
        launch.milliseconds = 0;
        launch.cancel = &cancel;
        assert_int_equal(air->run(&launch, &error), INGOT_DEVICE);
        assert_non_null(strstr(error.message, "stopped: the launch was cancelled"));
        data[0] = 1;
        launch.cancel = NULL;
        assert_int_equal(air->run(&launch, &error), INGOT_OK);
        data[0] = 0;
        air->free(k);
        buf_free(&library);
    }
}

/* Divisions that a condition guards: the lanes for which it does not hold divide nothing. */
static void lanes_that_do_not_run(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    int32_t a[64], by[64], same[2] = {0, -1}, o[64] = {0}, p[64] = {0};
    for (int32_t i = 0; i < 64; ++i) {
        a[i] = i == 5 ? INT32_MIN : 100 + i;
        by[i] = i == 5 ? -1 : i % 3 - 1;
    }
    air_binding b[5] = {{a, sizeof a}, {by, sizeof by}, {same, sizeof same}, {o, sizeof o}, {p, sizeof p}};
    must_run("kernel void k(device const int *a [[buffer(0)]], device const int *b [[buffer(1)]], device const int *n [[buffer(2)]],"
             " device int *o [[buffer(3)]], device int *p [[buffer(4)]], uint i [[thread_position_in_grid]]) {"
             " int d = b[i], v = a[i]; if (d != 0 && !(v == INT_MIN && d == -1)) o[i] = v / d + v % d; else o[i] = 7;"
             " if (n[0] != 0) p[i] = v / n[0]; else if (i > 50 && v != INT_MIN) p[i] = v / n[1]; }",
             b, 5, 1, 64);
    for (int32_t i = 0; i < 64; ++i) {
        assert_int_equal(o[i], by[i] == 0 || i == 5 ? 7 : a[i] * by[i]);
        assert_int_equal(p[i], i > 50 ? -a[i] : 0);
    }
}

/* Grids of 5 x 3 threads in threadgroups of 4 x 2: each thread says where it is and how large its threadgroup is. The second
 * kernel's threads wait for one another. */
static void uneven_grids(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    static const char *const bodies[2] = {
        "kernel void k(device uint *o [[buffer(0)]], uint2 p [[thread_position_in_grid]], uint2 t [[threads_per_threadgroup]],"
        " uint2 w [[dispatch_threads_per_threadgroup]], uint2 g [[threadgroups_per_grid]], uint2 n [[threads_per_grid]])"
        " { o[p.y * 5 + p.x] = t.x + 10 * t.y + 100 * w.x + 1000 * w.y + 10000 * (g.x + g.y) + 100000 * n.x + 1000000 * n.y; }",
        "kernel void k(device uint *o [[buffer(0)]], uint2 p [[thread_position_in_grid]], uint2 n [[threads_per_grid]], uint i [[thread_index_in_threadgroup]])"
        " { threadgroup uint s[8]; s[i] = p.x + n.x * p.y; threadgroup_barrier(mem_flags::mem_threadgroup); o[s[i]] = simd_sum(1u); }"};
    for (size_t which = 0; which < 2; ++which) {
        buf library = library_of(bodies[which]);
        air_kernel *k = load(&library, "k");
        uint32_t o[15] = {0};
        const air_binding b = {o, sizeof o};
        const air_launch launch = {.kernel = k, .buffers = &b, .buffer_count = 1, .groups = {2, 2, 1}, .threads = {4, 2, 1}, .grid = {5, 3, 1}};
        ingot_error error;
        if (air->run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
        for (unsigned y = 0; y < 3; ++y) {
            for (unsigned x = 0; x < 5; ++x) {
                const unsigned tx = x < 4 ? 4 : 1, ty = y < 2 ? 2 : 1;
                assert_int_equal(o[y * 5 + x], which == 0 ? tx + 10 * ty + 3542400 : tx * ty); /* 400 + 2000 + 40000 + 500000 + 3000000 */
            }
        }
        air->free(k);
        buf_free(&library);
    }
    /* rows of whole vectors, and such that only the last threadgroup has */
    static const uint32_t sizes[4][2] = {{70, 32}, {72, 40}, {33, 32}, {31, 32}};
    buf library = library_of("kernel void k(device uint *o [[buffer(0)]], uint i [[thread_position_in_grid]], uint w [[dispatch_threads_per_threadgroup]])"
                             " { o[i] += i + 1000 * w; }");
    air_kernel *k = load(&library, "k");
    for (size_t s = 0; s < 4; ++s) {
        uint32_t o[80] = {0};
        const uint32_t n = sizes[s][0], row = sizes[s][1];
        const air_binding b = {o, sizeof o};
        const air_launch launch = {.kernel = k, .buffers = &b, .buffer_count = 1, .groups = {(n + row - 1) / row, 1, 1}, .threads = {row, 1, 1},
                                   .grid = {n, 1, 1}};
        ingot_error error;
        if (air->run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
        for (unsigned i = 0; i < 80; ++i) assert_int_equal(o[i], i < n ? i + 1000 * row : 0);
    }
    air->free(k);
    buf_free(&library);
}

/* What would not fit a thread's stack is refused when it is loaded. */
static void large_variables(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    static const struct {
        unsigned count;
        bool fits;
    } cases[] = {{100000, true}, {140000, false}, {50000000, false}};
    for (size_t i = 0; i < 3; ++i) {
        char text[300];
        (void)snprintf(text, sizeof text, "kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { float t[%u]; "
                       "for (uint n = 0; n < %u; n += 100) t[n] = a[i] + n; a[i] = t[int(a[i]) * 100]; }", cases[i].count, cases[i].count);
        buf library = library_of(text);
        air_kernel *k = NULL;
        ingot_error error;
        const air_source source = {.bytes = buf_view(&library), .kernel = "k"};
        const ingot_status status = air->load(&mem_default, &source, &k, &error);
        assert_int_equal(status, cases[i].fits ? INGOT_OK : INGOT_UNSUPPORTED);
        if (!cases[i].fits) assert_non_null(strstr(error.message, "524288 bytes of variables a thread"));
        float a[40];
        for (unsigned t = 0; t < 40; ++t) a[t] = (float)t;
        const air_binding b = {a, sizeof a};
        const air_launch launch = {.kernel = k, .buffers = &b, .buffer_count = 1, .groups = {1, 1, 1}, .threads = {40, 1, 1}};
        if (cases[i].fits && air->run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
        for (unsigned t = 0; cases[i].fits && t < 40; ++t) assert_true(a[t] == (float)(t + t * 100));
        air->free(k);
        buf_free(&library);
    }
}

static void names_and_parts_are_checked(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    buf library = library_of("kernel void k(device float *a [[buffer(3)]], constant uint &n [[buffer(1)]]) { a[0] = n; }");
    air_kernel *k = load(&library, "k");
    const rt_kernel_info *info = air->info(k);
    assert_int_equal(info->slot_count, 2);
    assert_int_equal(info->slots[0].index, 1);
    assert_true(info->slots[0].kind == RT_SLOT_CONSTANT && info->slots[0].reference && info->slots[0].bytes == 4);
    assert_string_equal(info->slots[0].type, "uint");
    assert_int_equal(info->slots[1].index, 3);
    assert_string_equal(info->slots[1].name, "a");
    air->free(k);
    ingot_error error;
    const air_source source = {.bytes = buf_view(&library), .kernel = "other"};
    assert_int_equal(air->load(&mem_default, &source, &k, &error), INGOT_FORMAT);
    assert_null(k);
    buf_free(&library);
}

/* The same library with the module's bytes changed and its hash made anew. */
static buf damaged(const buf *library, size_t at, unsigned char with)
{
    pool memory = pool_make(&mem_default);
    const metallib *m;
    ingot_error error;
    assert_int_equal(metallib_read(&memory, buf_view(library), &m, &error), INGOT_OK);
    const str module = m->functions[0].module;
    char *bytes = pool_alloc(&memory, module.n, 1);
    memcpy(bytes, module.p, module.n);
    bytes[at % module.n] = (char)((unsigned char)bytes[at % module.n] ^ with);
    metallib_function f = {.name = m->functions[0].name, .type = METALLIB_KERNEL, .module = {bytes, module.n}, .air = m->functions[0].air,
                           .language = m->functions[0].language};
    metallib made = {.format_major = 1, .format_minor = 2, .format_patch = 7, .is_macos = true, .is_64_bit = true, .platform = 1,
                     .os_major = 14, .functions = &f, .function_count = 1};
    assert_int_equal(metallib_seal(&memory, &made, &error), INGOT_OK);
    buf out = buf_make(&mem_default);
    metallib_write(&made, &out);
    pool_free(&memory);
    return out;
}

/* LLVM crashes on some of these; here each is an error or a kernel. */
static void damage_behind_right_hashes(void **state)
{
    (void)state;
    NEEDS_COMPONENT;
    buf library = library_of("kernel void k(device float *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = exp(a[i]) + float(i / 3); }");
    unsigned refused = 0;
    uint32_t random = 7;
    for (unsigned round = 0; round < 40; ++round) {
        random = random * 1664525u + 1013904223u;
        buf bad = damaged(&library, 20 + (random >> 8), (unsigned char)(1u << (random >> 5 & 7)));
        air_kernel *k = NULL;
        ingot_error error;
        const air_source source = {.bytes = buf_view(&bad), .kernel = "k"};
        if (air->load(&mem_default, &source, &k, &error) != INGOT_OK) ++refused;
        air->free(k);
        buf_free(&bad);
    }
    assert_true(refused > 5);
    buf_free(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undefined_numbers_are_defined),
        cmocka_unit_test(simdgroups),
        cmocka_unit_test(barriers),
        cmocka_unit_test(narrow_numbers_wrap),
        cmocka_unit_test(places_across_barriers),
        cmocka_unit_test(faults),
        cmocka_unit_test(accesses_in_loops),
        cmocka_unit_test(limits),
        cmocka_unit_test(lanes_that_do_not_run),
        cmocka_unit_test(uneven_grids),
        cmocka_unit_test(large_variables),
        cmocka_unit_test(names_and_parts_are_checked),
        cmocka_unit_test(damage_behind_right_hashes),
    };
    return cmocka_run_group_tests(tests, find_component, NULL);
}
