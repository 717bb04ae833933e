/* Correct lock-free patterns, on which no check may raise an alarm, and the same with what makes them correct left out. */
#include <stdio.h>

#include "check_help.h"

static float a[4096], b[4096];
static uint32_t u[4096];

static emu_case memory(uint32_t groups, uint32_t threads)
{
    for (uint32_t i = 0; i < 4096; ++i) {
        a[i] = (float)(i % 7);
        b[i] = 0;
        u[i] = 0;
    }
    return (emu_case){.groups = {groups}, .threads = {threads}, .buffers = {{a, sizeof a}, {b, sizeof b}, {u, sizeof u}}, .budget = 50000000};
}

#define ARGS                                                                                                           \
    "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], device atomic_uint *u [[buffer(2)]],\n" \
    "  uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]],\n" \
    "  uint n [[threads_per_threadgroup]], uint groups [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]]) {\n"
#define SYNC "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
#define FENCE "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);\n"
#define LOAD(x) "atomic_load_explicit(" x ", memory_order_relaxed)"
#define STORE(x, v) "atomic_store_explicit(" x ", " v ", memory_order_relaxed);\n"
#define ADD(x, v) "atomic_fetch_add_explicit(" x ", " v ", memory_order_relaxed)"

/* The kernel runs clean with all checks, without any, and under seeds; `right` looks at what it left. */
static void runs_clean(const char *body, uint32_t groups, uint32_t threads, void (*right)(void))
{
    emu_pool *pool = emu_pool_create(NULL, 2);
    for (unsigned turn = 0; turn < 6; ++turn) {
        emu_case c = memory(groups, threads);
        c.pool = turn == 5 ? pool : NULL;
        emu_library *l = emu_text(body);
        emu_findings found = emu_findings_make(NULL, 0);
        emu_launch launch = emu_launch_of(l, "k", &c);
        launch.seed = turn / 2;
        launch.checks = turn % 2 != 0 ? EMU_CHECK_ALL & ~(1u << EMU_CHECK_LAUNCH) : 0;
        launch.findings = turn % 2 != 0 ? &found : NULL;
        ingot_error error;
        if (emu_run(&launch, &error) != INGOT_OK) fail_msg("turn %u: %s", turn, error.message);
        if (found.n != 0) check_show(&found, "nothing was to be found");
        right();
        emu_findings_free(&found);
        emu_library_free(l);
    }
    emu_pool_free(pool);
}

/* With races looked at: at least one is found, over this memory. */
static void races(const char *body, uint32_t groups, uint32_t threads, const char *memory_name)
{
    const emu_case c = memory(groups, threads);
    emu_findings found = check_run(body, &c, 1u << EMU_CHECK_RACE);
    bool any = false;
    for (size_t i = 0; i < found.n; ++i)
        any = any || (found.at[i].check == EMU_CHECK_RACE && strcmp(found.at[i].buffer, memory_name) == 0);
    if (!any) check_show(&found, "a race was to be found");
    emu_findings_free(&found);
}

/* 3 simdgroups of each of 5 threadgroups add to b[0] under a lock: tickets are handed out, and served in order. */
static void fifteen(void)
{
    assert_true(b[0] == 15);
}
#define TICKET(fence)                                                                                                  \
    ARGS "if (lane == 0) { uint mine = " ADD("&u[0]", "1u") "; while (" LOAD("&u[1]") " != mine) {}\n" fence                 \
         "b[0] += 1;\n" fence STORE("&u[1]", "mine + 1") "} }"
/* The same with one flag that is taken by exchange, and with one taken by comparison. */
#define SPIN(take)                                                                                                     \
    ARGS "if (lane == 0) { " take FENCE "b[0] += 1;\n" FENCE STORE("&u[0]", "0u") "} }"

static void test_locks(void **state)
{
    (void)state;
    runs_clean(TICKET(FENCE), 5, 96, fifteen);
    runs_clean(TICKET(FENCE), 15, 32, fifteen); /* threadgroups that would be run together */
    races(TICKET(""), 5, 96, "b");
    runs_clean(SPIN("while (atomic_exchange_explicit(&u[0], 1u, memory_order_relaxed) != 0u) {}\n"), 5, 96, fifteen);
    runs_clean(SPIN("uint e = 0; while (!atomic_compare_exchange_weak_explicit(&u[0], &e, 1u, memory_order_relaxed, "
                    "memory_order_relaxed)) e = 0;\n"),
               5, 96, fifteen);
}

/* A simdgroup makes data and raises a flag, the next one waits for it: within one threadgroup, over device memory. */
static void passed_on(void)
{
    for (int i = 0; i < 128; ++i) assert_true(b[i] == (float)(i / 32 + 1));
}
#define RELAY(fence)                                                                                                   \
    ARGS "uint s = t / 32; if (lane == 0 && s > 0) { while (" LOAD("&u[s - 1]") " == 0u) {} }\n" fence                       \
         "simdgroup_barrier(mem_flags::mem_device);\n"                                                                       \
         "b[t] = s == 0 ? 1.0f : b[t - 32] + 1; simdgroup_barrier(mem_flags::mem_device);\n"                                 \
         "if (lane == 0) { " FENCE STORE("&u[s]", "1u") "} }"

static void test_flags(void **state)
{
    (void)state;
    runs_clean(RELAY(FENCE), 1, 128, passed_on);
}

/* A scan over the whole grid in one pass: each threadgroup publishes its sum, then adds up what lies before it, waiting for
 * each that is not there yet, until it meets one that knows its whole prefix. */
static void scanned(void)
{
    float sum = 0;
    for (int i = 0; i < 16 * 64; ++i) {
        sum += a[i];
        assert_true(b[i] == sum);
    }
}
#define LOOK_BACK(fence)                                                                                               \
    ARGS "threadgroup float s[64]; threadgroup uint id[1]; threadgroup float before[1];\n"                                   \
         "if (t == 0) id[0] = " ADD("&u[0]", "1u") ";\n" SYNC                                                                \
         "uint me = id[0]; s[t] = a[me * n + t];\n" SYNC                                                                     \
         "for (uint d = 1; d < n; d *= 2) { float x = t >= d ? s[t - d] : 0;\n" SYNC "s[t] += x;\n" SYNC "}\n"             \
         "device float *sums = b + 2048; device float *whole = b + 3072;\n"                                                  \
         "if (t == 0) { sums[me] = s[n - 1]; if (me == 0) whole[0] = s[n - 1];\n" fence                                      \
         STORE("&u[16 + me]", "me == 0 ? 2u : 1u")                                                                           \
         "float x = 0; for (int j = int(me) - 1; j >= 0; --j) { uint f = 0; while ((f = " LOAD("&u[16 + j]") ") == 0u) {}\n" \
         fence "if (f == 2u) { x += whole[j]; break; } x += sums[j]; }\n"                                                     \
         "if (me != 0) { whole[me] = x + s[n - 1];\n" fence STORE("&u[16 + me]", "2u") "} before[0] = x; }\n" SYNC         \
         "b[me * n + t] = before[0] + s[t]; }"

static void test_look_back(void **state)
{
    (void)state;
    runs_clean(LOOK_BACK(FENCE), 16, 64, scanned);
    races(LOOK_BACK(""), 16, 64, "b");
}

/* Two halves of threadgroup memory, one filled while the other is read: one barrier a round is enough, none is not. */
static void doubled(void)
{
    for (uint32_t i = 0; i < 4 * 64; ++i) {
        float sum = 0;
        for (uint32_t r = 0; r < 8; ++r) sum += a[(i / 64 * 64 + (i + 1) % 64 + r * 256) % 4096];
        assert_true(b[i] == sum);
    }
}
#define DOUBLE(sync)                                                                                                   \
    ARGS "threadgroup float s[2][64]; float x = 0; s[0][t] = a[i];\n" SYNC                                                   \
         "for (uint r = 0; r < 8; ++r) { if (r < 7) s[(r + 1) % 2][t] = a[i + (r + 1) * 256]; x += s[r % 2][(t + 1) % n];\n"  \
         sync "} b[i] = x; }"

/* Simdgroups that work in their own part of threadgroup memory with barriers of their own. */
static void turned(void)
{
    for (uint32_t i = 0; i < 256; ++i) assert_true(b[i] == a[i - i % 32 + 31 - i % 32]);
}
#define SIMD_WIDE(sync)                                                                                                \
    ARGS "threadgroup float s[128]; s[t] = a[i];\n" sync "b[i] = s[t - lane + 31 - lane]; }"

static void test_steps(void **state)
{
    (void)state;
    runs_clean(DOUBLE(SYNC), 4, 64, doubled);
    races(DOUBLE(""), 4, 64, "s");
    runs_clean(SIMD_WIDE("simdgroup_barrier(mem_flags::mem_threadgroup);\n"), 2, 128, turned);
    races(SIMD_WIDE(""), 2, 128, "s");
}

/* Work handed out by a counter, to threadgroups that stay; the greatest of all by comparison and exchange. */
static void all_done(void)
{
    for (int i = 0; i < 640; ++i) assert_true(b[i] == a[i] * 2);
    assert_int_equal(u[1], 6);
}
static void test_work(void **state)
{
    (void)state;
    runs_clean(ARGS "threadgroup uint next[1]; for (;;) { if (t == 0) next[0] = " ADD("&u[0]", "1u") ";\n" SYNC
                    "uint j = next[0];\n" SYNC "if (j >= 10) break; b[j * n + t] = a[j * n + t] * 2;\n"
                    "uint v = uint(a[j * n + t]), seen = " LOAD("&u[1]") ";\n"
                    "while (seen < v && !atomic_compare_exchange_weak_explicit(&u[1], &seen, v, memory_order_relaxed, "
                    "memory_order_relaxed)) {} } }",
               4, 64, all_done);
}

/* Barriers that simdgroups run one by one do not all reach: loops with atomics are run so. */
static void test_barriers(void **state)
{
    (void)state;
    const emu_case c = memory(2, 96);
    static const char *const spin = "while (" LOAD("&u[0]") " != 0u) {}\n";
    char text[2048];
    (void)snprintf(text, sizeof text, ARGS "%s\nif (t >= 64)\nreturn;\n" SYNC "\nb[i] = 1; }", spin);
    emu_findings f = check_found(text, &c, 1u << EMU_CHECK_BARRIER, &(check_want){EMU_FAULT_BARRIER_RETURN, 10, 9, NULL, 0});
    assert_int_equal(f.at[0].times, 2);
    assert_int_equal(f.at[0].second.simdgroup, 2);
    emu_findings_free(&f);
    (void)snprintf(text, sizeof text, ARGS "%s\nif (t < 64) {\n" SYNC "} else {\n" SYNC "}\nb[i] = 1; }", spin);
    check_finds(text, &c, 1u << EMU_CHECK_BARRIER, &(check_want){EMU_FAULT_BARRIER_OTHER, 9, 11, NULL, 0});
    (void)snprintf(text, sizeof text, ARGS "%s\nif (t < 70) {\n" SYNC "}\nb[i] = 1; }", spin);
    check_finds(text, &c, 1u << EMU_CHECK_BARRIER, &(check_want){EMU_FAULT_BARRIER_BRANCH, 9, 8, NULL, 0});
    (void)snprintf(text, sizeof text, ARGS "%s\nif (t < 64) {\n" SYNC "}\nb[i] = 1; }", spin);
    check_finds(text, &c, 1u << EMU_CHECK_BARRIER, &(check_want){EMU_FAULT_BARRIER_BRANCH, 9, 8, NULL, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_locks),     cmocka_unit_test(test_flags), cmocka_unit_test(test_look_back),
                                       cmocka_unit_test(test_steps),     cmocka_unit_test(test_work),  cmocka_unit_test(test_barriers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
