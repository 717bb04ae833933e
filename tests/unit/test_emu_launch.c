/* Launches: grids that are no multiple of their threadgroups, time limits, cancelling. */
#include "check_help.h"

static uint32_t out[8][4096];

#define ARGS                                                                                                           \
    "kernel void k(device uint *a [[buffer(0)]], device uint *b [[buffer(1)]], device uint *c [[buffer(2)]], device "  \
    "uint *d [[buffer(3)]], device uint *e [[buffer(4)]], device uint *f [[buffer(5)]], uint3 p "                      \
    "[[thread_position_in_grid]], uint3 s [[threads_per_threadgroup]], uint3 ds "                                      \
    "[[dispatch_threads_per_threadgroup]], uint3 g [[threads_per_grid]], uint3 t [[threadgroup_position_in_grid]], "   \
    "uint3 q [[threadgroups_per_grid]], uint l [[thread_index_in_threadgroup]], uint sg "                              \
    "[[simdgroups_per_threadgroup]]) {\n"

static emu_case case_of(void)
{
    memset(out, 0xff, sizeof out);
    emu_case c = {.groups = {1}};
    for (int i = 0; i < 8; ++i) c.buffers[i] = (emu_binding){out[i], sizeof out[i]};
    return c;
}

/* 70 x 10 threads in threadgroups of 32 x 4: three by three of them, six threads wide and two high at the ends. */
static void test_uneven(void **state)
{
    (void)state;
    emu_library *l = emu_text(ARGS "uint i = p.y * g.x + p.x; a[i] = s.x * 100 + s.y; b[i] = ds.x * 100 + ds.y; c[i] = l;\n"
                                   "d[i] = t.x * 10 + t.y; e[i] = q.x * 10 + q.y; f[i] = sg; }");
    const emu_case c = case_of();
    emu_launch launch = emu_launch_of(l, "k", &c);
    emu_findings found = emu_findings_make(NULL, 0);
    const uint32_t grid[3] = {70, 10, 1}, groups[3] = {3, 3, 1}, threads[3] = {32, 4, 1};
    memcpy(launch.grid, grid, sizeof grid);
    memcpy(launch.groups, groups, sizeof groups);
    memcpy(launch.threads, threads, sizeof threads);
    for (int checked = 0; checked < 2; ++checked) {
        ingot_error error;
        if (emu_run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
        assert_int_equal(found.n, 0);
        for (uint32_t y = 0; y < 10; ++y) {
            for (uint32_t x = 0; x < 70; ++x) {
                const uint32_t i = y * 70 + x, w = x < 64 ? 32 : 6, h = y < 8 ? 4 : 2;
                assert_int_equal(out[0][i], w * 100 + h);
                assert_int_equal(out[1][i], 3204);
                assert_int_equal(out[2][i], y % 4 * w + x % 32);
                assert_int_equal(out[3][i], x / 32 * 10 + y / 4);
                assert_int_equal(out[4][i], 33);
                assert_int_equal(out[5][i], (w * h + 31) / 32);
            }
        }
        assert_int_equal(out[0][700], 0xffffffff);
        memset(out, 0xff, sizeof out);
        launch.checks = EMU_CHECK_ALL & ~(1u << EMU_CHECK_LAUNCH);
        launch.findings = &found;
    }
    /* the groups must be the quotients */
    launch.groups[0] = 2;
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_VALUE);
    emu_library_free(l);
}

/* A race between a threadgroup of the even part and one of the ends: both places are told. */
static void test_uneven_race(void **state)
{
    (void)state;
    emu_library *l = emu_text("kernel void k(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]], uint t "
                              "[[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {\n"
                              "if (n == 64) { if (t == 3) a[7] = i; }\nelse if (t == 1) a[7] = 2; }");
    const emu_case c = case_of();
    emu_launch launch = emu_launch_of(l, "k", &c);
    emu_findings found = emu_findings_make(NULL, 0);
    launch.grid[0] = 68;
    launch.grid[1] = launch.grid[2] = 1;
    launch.groups[0] = 2;
    launch.threads[0] = 64;
    launch.checks = 1u << EMU_CHECK_RACE;
    launch.findings = &found;
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.at[0].rule, EMU_FAULT_RACE_GRID);
    assert_int_equal(found.at[0].first.line, 5);
    assert_int_equal(found.at[0].first.group[0], 1);
    assert_int_equal(found.at[0].first.thread[0], 1);
    assert_int_equal(found.at[0].second.line, 4);
    assert_int_equal(found.at[0].second.group[0], 0);
    assert_int_equal(found.at[0].second.thread[0], 3);
    emu_findings_free(&found);
    emu_library_free(l);
}

static void test_stopping(void **state)
{
    (void)state;
    emu_library *l = emu_text("kernel void k(device volatile uint *a [[buffer(0)]]) {\nwhile (a[0] != 1)\na[1] += 1; }");
    const emu_case c = case_of();
    emu_launch launch = emu_launch_of(l, "k", &c);
    ingot_error error;
    launch.budget = 5000000;
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "budget of 5000000 instructions"));
    assert_int_equal(error.line, 4);
    launch.budget = 0;
    launch.milliseconds = 20;
    emu_findings found = emu_findings_make(NULL, 0);
    launch.findings = &found;
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "longer than the 20 ms"));
    assert_int_equal(found.n, 1);
    assert_int_equal(found.at[0].rule, EMU_FAULT_TIME);
    emu_findings_free(&found);
    const int cancel = 1;
    launch.milliseconds = 0;
    launch.cancel = &cancel;
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_int_equal(found.at[0].rule, EMU_FAULT_CANCELLED);
    emu_findings_free(&found);
    /* nothing is broken: the kernel runs again */
    out[0][0] = 1;
    launch.cancel = NULL;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    emu_library_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_uneven), cmocka_unit_test(test_uneven_race),
                                       cmocka_unit_test(test_stopping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
