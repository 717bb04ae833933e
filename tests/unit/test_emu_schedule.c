/* Seeded orders: kernels that do not depend on the order are right under every seed, those that do show it. */
#include "check_help.h"

static uint32_t a[4096], b[4096];

static emu_case case_of(uint32_t groups, uint32_t threads)
{
    for (uint32_t i = 0; i < 4096; ++i) {
        a[i] = i * 7 + 1;
        b[i] = 0;
    }
    return (emu_case){.groups = {groups}, .threads = {threads}, .buffers = {{a, sizeof a}, {b, sizeof b}}};
}

static void run(emu_library *l, const emu_case *c, uint64_t seed)
{
    emu_launch launch = emu_launch_of(l, "k", c);
    launch.seed = seed;
    ingot_error error;
    if (emu_run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
}

#define ARGS                                                                                                           \
    "kernel void k(device uint *a [[buffer(0)]], device uint *b [[buffer(1)]], uint i [[thread_position_in_grid]], "   \
    "uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]], uint n "                      \
    "[[threads_per_threadgroup]]) {\n"
#define SYNC "threadgroup_barrier(mem_flags::mem_threadgroup);"

/* A tree sum with everything a simdgroup keeps over a barrier: uniform and varying variables, arrays, masks. */
static void test_right(void **state)
{
    (void)state;
    emu_library *l = emu_text(ARGS "threadgroup uint s[256]; uint v[3]; uint total = 0;\n"
                                   "for (uint r = 0; r < 3; ++r) { v[(r + t) % 3] = r; s[t] = a[i] + r; uint d = n / 2; " SYNC
                                   " while (d > 0) { if (t < d) s[t] += s[t + d]; d /= 2; " SYNC
                                   " } total += s[0]; if (t % 3 == r) total += v[r]; " SYNC " }\nb[i] = total; }");
    for (uint64_t seed = 0; seed < 12; ++seed) {
        const emu_case c = case_of(6, seed % 2 == 0 ? 256 : 128);
        run(l, &c, seed);
        const uint32_t n = c.threads[0];
        for (uint32_t i = 0; i < 6 * n; ++i) {
            uint32_t sum = 0;
            for (uint32_t k = i / n * n; k < (i / n + 1) * n; ++k) sum += a[k];
            /* the thread with t % 3 == r has put r' into v[(r' + t) % 3]: v[r] holds r' = (r - t) mod 3 = 0 */
            assert_int_equal(b[i], 3 * sum + n * (0 + 1 + 2));
        }
    }
    emu_library_free(l);
}

/* Who comes first, in a threadgroup and in the grid. */
static void test_shows(void **state)
{
    (void)state;
    emu_library *l = emu_text(ARGS "if (t % 32 == 0) b[1 + atomic_fetch_add_explicit((device atomic_uint *)b, 1u, "
                                   "memory_order_relaxed)] = g * 8 + t / 32; }");
    uint32_t first[33], differ = 0, groups_move = 0, simdgroups_move = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
        const emu_case c = case_of(4, 256);
        run(l, &c, seed);
        assert_int_equal(b[0], 32);
        uint32_t seen = 0;
        for (int i = 1; i <= 32; ++i) seen |= (uint32_t)1 << b[i];
        assert_int_equal(seen, 0xffffffff);
        if (seed == 0) {
            memcpy(first, b, sizeof first);
            for (uint32_t i = 0; i < 32; ++i) assert_int_equal(b[1 + i], i);
            continue;
        }
        differ += memcmp(first, b, sizeof first) != 0;
        groups_move += b[1] / 8 != 0;
        for (int i = 1; i < 32; ++i) simdgroups_move += b[i] / 8 == b[i + 1] / 8 && b[i] > b[i + 1];
        uint32_t again[33];
        memcpy(again, b, sizeof again);
        const emu_case d = case_of(4, 256);
        run(l, &d, seed);
        assert_memory_equal(again, b, sizeof again);
    }
    assert_int_equal(differ, 7);
    assert_true(groups_move > 0 && simdgroups_move > 7);
    emu_library_free(l);
}

/* A barrier is missing: lanes in step hide it, another order does not. */
static void test_race(void **state)
{
    (void)state;
    emu_library *l = emu_text(ARGS "threadgroup uint s[256]; s[t] = a[i];\nb[i] = s[t ^ 128]; }");
    unsigned wrong = 0;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        const emu_case c = case_of(1, 256);
        run(l, &c, seed);
        bool right = true;
        for (uint32_t i = 0; i < 256; ++i) right = right && b[i] == a[i ^ 128];
        if (seed == 0) assert_true(right);
        else wrong += !right;
    }
    assert_int_equal(wrong, 5);
    emu_library_free(l);
}

static void test_barriers(void **state)
{
    (void)state;
    const emu_case c = case_of(1, 128);
    emu_library *l = emu_text(ARGS "if (t >= 64) { " SYNC " } else { " SYNC "\nb[i] = 1; } }");
    emu_launch launch = emu_launch_of(l, "k", &c);
    launch.seed = 3;
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "barrier"));
    emu_library_free(l);
    l = emu_text(ARGS "while (a[0] != 0) b[i] += 1; }");
    launch = emu_launch_of(l, "k", &c);
    launch.seed = 3;
    launch.budget = 1000000;
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "budget"));
    emu_library_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_shows), cmocka_unit_test(test_race),
                                       cmocka_unit_test(test_barriers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
