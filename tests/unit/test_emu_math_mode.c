/* Math modes: what a compiler may make of floats shows, and safe mode keeps all as written. */
#include "check_help.h"

static float a[64], b[64];

static float run(const char *body, emu_math math, uint64_t seed, float x, float y, float z)
{
    emu_library *l = emu_text(body);
    for (int i = 0; i < 64; ++i) b[i] = -1;
    a[0] = x;
    a[1] = y;
    a[2] = z;
    const emu_case c = {.groups = {1}, .threads = {32}, .buffers = {{a, sizeof a}, {b, sizeof b}}};
    emu_launch launch = emu_launch_of(l, "k", &c);
    launch.math = math;
    launch.seed = seed;
    ingot_error error;
    if (emu_run(&launch, &error) != INGOT_OK) fail_msg("%s", error.message);
    emu_library_free(l);
    return b[5];
}

#define ARGS                                                                                                           \
    "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], uint i "                        \
    "[[thread_position_in_grid]]) { float x = a[0], y = a[1], z = a[2]; b[i] = "

static void test_special(void **state)
{
    (void)state;
    const float inf = __builtin_inff(), nan = __builtin_nanf("");
    assert_true(run(ARGS "isnan(x) ? 1 : 0; }", EMU_MATH_SAFE, 0, nan, 0, 0) == 1);
    assert_true(run(ARGS "isnan(x) ? 1 : 0; }", EMU_MATH_RELAXED, 0, nan, 0, 0) == 1);
    assert_true(run(ARGS "isnan(x) ? 1 : 0; }", EMU_MATH_FAST, 0, nan, 0, 0) == 0);
    assert_true(run(ARGS "x != x ? 1 : 0; }", EMU_MATH_FAST, 0, nan, 0, 0) == 0);
    assert_true(run(ARGS "x == -INFINITY ? 1 : 0; }", EMU_MATH_SAFE, 0, -inf, 0, 0) == 1);
    assert_true(run(ARGS "x == -INFINITY ? 1 : 0; }", EMU_MATH_FAST, 0, -inf, 0, 0) == 0);
    /* a GPU's tanh */
    assert_true(run(ARGS "tanh(x); }", EMU_MATH_SAFE, 0, 50, 0, 0) == 1);
    const float t = run(ARGS "tanh(x); }", EMU_MATH_FAST, 0, 50, 0, 0);
    assert_true(t != t);
    assert_true(run(ARGS "precise::tanh(x); }", EMU_MATH_FAST, 0, 50, 0, 0) == 1);
    const float e = run(ARGS "exp(x); }", EMU_MATH_RELAXED, 0, 1, 0, 0);
    assert_true(e > 2.71827f && e < 2.71830f);
}

static void test_denormals(void **state)
{
    (void)state;
#if defined(__SSE__) || defined(__aarch64__)
    const float small = 1.17549435e-38f; /* the least normal number */
    assert_true(run(ARGS "x * 0.5f; }", EMU_MATH_SAFE, 0, small, 0, 0) == small / 2);
    assert_true(run(ARGS "x * 0.5f; }", EMU_MATH_RELAXED, 0, small, 0, 0) == small / 2);
    assert_true(run(ARGS "x * 0.5f; }", EMU_MATH_FAST, 0, small, 0, 0) == 0);
    /* the caller's own arithmetic is as before */
    volatile float half = small / 2;
    assert_true(half * 2 == small);
#endif
}

static void test_associating(void **state)
{
    (void)state;
    /* 2^-12 + 2^-24: 1 + 2^-12 squared is 1 + 2^-11 + 2^-24, of which a float keeps 1 + 2^-11 */
    const float x = 1 + 1.0f / 4096, y = -(1 + 1.0f / 2048);
    assert_true(run(ARGS "x * x + y; }", EMU_MATH_SAFE, 0, x, y, 0) == 0);
    assert_true(run(ARGS "x * x + y; }", EMU_MATH_RELAXED, 0, x, y, 0) == 1.0f / 16777216);
    /* (1e8 - 1e8) + 1 is 1, 1e8 + (-1e8 + 1) is 0: seeds give both, one seed always the same */
    int ones = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const float r = run(ARGS "x + y + z; }", EMU_MATH_FAST, seed, 1e8f, -1e8f, 1);
        assert_true(r == 0 || r == 1);
        assert_true(run(ARGS "x + y + z; }", EMU_MATH_FAST, seed, 1e8f, -1e8f, 1) == r);
        assert_true(run(ARGS "x + y + z; }", EMU_MATH_SAFE, seed, 1e8f, -1e8f, 1) == 1);
        ones += r == 1;
    }
    assert_true(ones > 0 && ones < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_special), cmocka_unit_test(test_denormals),
                                       cmocka_unit_test(test_associating)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
