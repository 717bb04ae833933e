/* What is said of a launch before it runs: limits of the target, and whether it fits the kernel. */
#include "check_help.h"

static float a[256], b[256];

static emu_case launch_case(uint32_t groups, uint32_t threads)
{
    for (int i = 0; i < 256; ++i) {
        a[i] = (float)i;
        b[i] = 0;
    }
    return (emu_case){.groups = {groups}, .threads = {threads}, .buffers = {{a, sizeof a}, {b, sizeof b}}};
}

#define PLAIN                                                                                                          \
    "kernel void k(device const float *a [[buffer(0)]],\n device float *b [[buffer(1)]],\n"                              \
    "uint i [[thread_position_in_grid]]) { b[i] = a[i]; }"
#define LAUNCH (1u << EMU_CHECK_LAUNCH)

/* Runs with LIMITS for the target; `status` of the run, and the findings. */
static emu_findings limited(const char *body, const emu_case *c, const emu_limits *limits, ingot_status *status)
{
    emu_library *l = emu_text(body);
    emu_findings found = emu_findings_make(NULL, 0);
    emu_launch launch = emu_launch_of(l, "k", c);
    launch.checks = 1u << EMU_CHECK_LIMITS;
    launch.findings = &found;
    launch.limits = limits;
    ingot_error error;
    *status = emu_run(&launch, &error);
    emu_library_free(l);
    return found;
}

static void limit_is(const char *body, const emu_case *c, const emu_limits *limits, ingot_status want, const char *part)
{
    ingot_status status;
    emu_findings found = limited(body, c, limits, &status);
    assert_int_equal(status, want);
    if (found.n != (part != NULL ? 1u : 0u)) check_show(&found, "another number of findings");
    if (part != NULL && (found.at[0].rule != EMU_FAULT_LIMIT || strstr(found.at[0].message, part) == NULL)) check_show(&found, part);
    emu_findings_free(&found);
}

static void test_limits(void **state)
{
    (void)state;
    static const emu_limits small = {"a small target", 64, 2, 1024};
    emu_case c = launch_case(1, 64);
    limit_is(PLAIN, &c, &small, INGOT_OK, NULL);
    c = launch_case(1, 65);
    limit_is(PLAIN, &c, &small, INGOT_OK, "a threadgroup of 65 x 1 x 1 = 65 threads; a small target allows 64");
    /* beyond the device's own: told with its numbers, then refused */
    c = launch_case(1, 32);
    c.threads[1] = 33;
    limit_is(PLAIN, &c, NULL, INGOT_LIMIT, "a threadgroup of 32 x 33 x 1 = 1056 threads; the device allows 1024");
    c = launch_case(1, 64);
    limit_is("[[max_total_threads_per_threadgroup(32)]]\n" PLAIN, &c, NULL, INGOT_LIMIT, "the kernel allows 32");
    /* threadgroup memory, of the text and of the launch together */
    c.lengths[0] = 128;
    static const char *const text = "kernel void k(device float *b [[buffer(1)]], threadgroup float *t [[threadgroup(0)]], uint i "
                                    "[[thread_position_in_grid]]) { threadgroup float s[96]; s[i] = t[i % 32]; b[i] = s[63 - i]; }";
    limit_is(text, &c, &small, INGOT_OK, NULL); /* 96 * 4 + 128 = 512 */
    c.lengths[0] = 1024;
    limit_is(text, &c, &small, INGOT_OK, "1408 bytes of threadgroup memory; a small target has 1024");
    c.lengths[0] = 32768;
    limit_is(text, &c, NULL, INGOT_LIMIT, "33152 bytes of threadgroup memory; the device has 32768");
    /* the argument table ends before slot 2 */
    c = launch_case(1, 64);
    limit_is("kernel void k(device float *b [[buffer(2)]], uint i [[thread_position_in_grid]]) { if (i > 99) b[i] = 1; }", &c, &small, INGOT_OK,
             "'b' is at [[buffer(2)]]; the argument table of a small target ends at 1");
}

static void test_buffers(void **state)
{
    (void)state;
    emu_case c = launch_case(1, 64);
    check_clean(PLAIN, &c);
    c.buffers[0].data = NULL;
    emu_findings f = check_run(PLAIN, &c, LAUNCH | 1u << EMU_CHECK_BOUNDS);
    assert_int_equal(f.n, 2); /* and the read that has nothing to read */
    assert_int_equal(f.at[0].rule, EMU_FAULT_MISSING);
    assert_int_equal(f.at[0].first.line, 3);
    assert_string_equal(f.at[0].buffer, "a");
    emu_findings_free(&f);
    c = launch_case(1, 64);
    check_clean("kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], constant int &n [[buffer(2)]],\n"
                "uint i [[thread_position_in_grid]]) { b[i] = a[i]; if (false) b[i] = n; }", &c);
    check_clean("constant bool later [[function_constant(0)]];\nkernel void other(device int *a, constant int &n) { if (later) a[0] = n; }\n"
                "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], constant int &n [[buffer(2)]],\n"
                "uint i [[thread_position_in_grid]]) { b[i] = a[i]; if (false) b[i] = n; }", &c);
    check_clean("kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], device const float *n [[buffer(2)]],\n"
                "uint i [[thread_position_in_grid]]) { device const float *p = b[i] > 1 ? a + 1 : b + i; b[i] = *p; if (false) b[i] = *n; }", &c);
    c.buffers[3] = (emu_binding){b, 16};
    check_finds(PLAIN, &c, LAUNCH, &(check_want){EMU_FAULT_UNUSED, 3, 0, NULL, 0});
    c = launch_case(1, 64);
    c.lengths[1] = 64;
    check_finds(PLAIN, &c, LAUNCH, &(check_want){EMU_FAULT_UNUSED, 3, 0, NULL, 0});
    /* what a reference needs to be; what is less than one element */
    c = launch_case(1, 64);
    c.buffers[0].size = 8;
    check_finds("kernel void k(device const float4 *a [[buffer(0)]],\n device float *b [[buffer(1)]],\n"
                "uint i [[thread_position_in_grid]]) { if (i > 99) b[i] = a[i].x; }",
                &c, LAUNCH, &(check_want){EMU_FAULT_SIGNATURE, 3, 0, "a", 0});
    c = launch_case(1, 32);
    check_finds("kernel void k(device float *b [[buffer(1)]], device const float *a [[buffer(0)]],\n threadgroup float *t [[threadgroup(0)]],\n"
                "uint i [[thread_position_in_grid]]) { if (a[i] > 999) b[i] = t[i]; }",
                &c, LAUNCH, &(check_want){EMU_FAULT_SIGNATURE, 4, 0, "t", 0});
    c = launch_case(0, 32);
    emu_library *l = emu_text(PLAIN);
    emu_launch launch = emu_launch_of(l, "k", &c);
    launch.groups[0] = 0;
    launch.checks = LAUNCH;
    launch.findings = &f;
    f = emu_findings_make(NULL, 0);
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    assert_true(f.n == 1 && f.at[0].rule == EMU_FAULT_EMPTY);
    emu_findings_free(&f);
    emu_library_free(l);
}

static void test_aliases(void **state)
{
    (void)state;
    emu_case c = launch_case(1, 32);
    c.buffers[0] = (emu_binding){b + 100, 64 * 4};
    check_finds(PLAIN, &c, LAUNCH, &(check_want){EMU_FAULT_ALIASED, 4, 0, "b", 0});
    c.buffers[1].size = 100 * 4; /* side by side */
    check_clean(PLAIN, &c);
    c.buffers[0] = c.buffers[1] = (emu_binding){b, 512}; /* in place: each thread has its element, or it is a race */
    check_clean(PLAIN, &c);
    check_finds("kernel void k(device const float *a [[buffer(0)]],\n device float *b [[buffer(1)]],\n"
                "uint i [[thread_position_in_grid]]) { b[i] = a[31 - i]; }",
                &c, 1u << EMU_CHECK_RACE, &(check_want){EMU_FAULT_RACE_SIMD, 5, 5, "b", 0});
    static const char *const reads = "kernel void k(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *o "
                                     "[[buffer(2)]], uint i [[thread_position_in_grid]]) { o[i] = a[i] + b[i]; }";
    c = launch_case(1, 32);
    c.buffers[0] = (emu_binding){a, 512};
    c.buffers[1] = (emu_binding){a, 512};
    c.buffers[2] = (emu_binding){b, 512};
    check_clean(reads, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_buffers), cmocka_unit_test(test_aliases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
