/* labels: quick */
/* What threads that run as lanes of vectors may get wrong: lanes that part and meet, loops that they leave one by one, memory of
 * their own, addresses that wrap within a vector, values that live across barriers. At shapes that fill vectors and that do not. */
#include "emu_help.h"

enum { MOST = 512 };

static const uint32_t shapes[][3] = {{32, 1, 1}, {64, 2, 1}, {48, 1, 1}, {5, 3, 2}, {16, 4, 1}, {7, 1, 1}, {1, 1, 9}};

static int32_t in[MOST + 4], out[MOST];

/* Runs `body` with in and out at every shape; want(thread's number, threads) says what out holds. */
static void at_all_shapes(const char *body, int32_t (*want)(int32_t i, int32_t n))
{
    emu_library *l = emu_text(body);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        const int32_t n = (int32_t)(shapes[s][0] * shapes[s][1] * shapes[s][2]);
        const emu_case c = {.groups = {2}, .threads = {shapes[s][0], shapes[s][1], shapes[s][2]},
                            .buffers = {{in, sizeof in}, {out, sizeof out}}};
        for (int32_t i = 0; i < MOST + 4; ++i) in[i] = i * 37 % 101 - 50;
        memset(out, 0, sizeof out);
        emu_must(l, "k", &c);
        for (int32_t i = 0; i < 2 * n; ++i)
            if (out[i] != want(i, n)) fail_msg("shape %zu, thread %d: %d, not %d", s, (int)i, (int)out[i], (int)want(i, n));
    }
    emu_library_free(l);
}

#define HEAD                                                                                                           \
    "kernel void k(device const int *in, device int *out, uint g [[threadgroup_position_in_grid]],\n"                  \
    "  uint t [[thread_index_in_threadgroup]], uint3 d [[threads_per_threadgroup]]) {\n"                               \
    "  uint n = d.x * d.y * d.z, i = g * n + t; int x = in[i];\n"

static int32_t want_parted(int32_t i, int32_t n)
{
    const int32_t x = in[i];
    int32_t r = 0;
    (void)n;
    if (x > 10) r = x % 3 == 0 ? in[i + 1] : x * 2;
    else if (x < -10 && in[i + 2] > 0) r = in[i + 2] + 1;
    else r = -7;
    return r + (i % n == 3 ? 1000 : 0);
}
static void test_parted(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  int r = 0; if (x > 10) { if (x % 3 == 0) r = in[i + 1]; else r = x * 2; }\n"
                       "  else if (x < -10 && in[i + 2] > 0) r = in[i + 2] + 1; else r = -7;\n"
                       "  if (t == 3) r += 1000; out[i] = r; }", want_parted);
}

/* Leaving by the condition, by break, and going on before the end; what is left with is each lane's own. */
static int32_t want_loops(int32_t i, int32_t n)
{
    int32_t s = 0, last = -1, k = 0;
    (void)n;
    for (k = 0; k < in[i] + 50; ++k) {
        last = k;
        if ((k + i) % 5 == 0) continue;
        if (s > 300) break;
        for (int32_t m = 0; m < k % 4; ++m) s += m + (in[i] & 3);
        s += k;
    }
    return s * 1000 + last * 10 + k % 10;
}
static void test_loops(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  int s = 0, last = -1, k = 0; for (k = 0; k < x + 50; ++k) { last = k; if ((k + int(i)) % 5 == 0) continue;\n"
                       "    if (s > 300) break; for (int m = 0; m < k % 4; ++m) s += m + (x & 3); s += k; }\n"
                       "  out[i] = s * 1000 + last * 10 + k % 10; }", want_loops);
}

/* An index that is below zero for the first threads, and one that wraps in 32 bits. */
static int32_t want_wraps(int32_t i, int32_t n)
{
    (void)n;
    const int32_t before = i >= 3 ? in[i - 3] : 5;
    return before * 7 + in[(uint32_t)(i * 3) % 400u];
}
static void test_wraps(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  int before = 5; if (i - 3 < 0x80000000u) before = in[i - 3];\n"
                       "  uint w = i * 3 + 4294967000u; out[i] = before * 7 + in[(w + 296u) % 400u]; }", want_wraps);
}

/* A thread's own array, its elements reached by numbers that differ between threads. */
static int32_t want_own(int32_t i, int32_t n)
{
    int32_t a[8] = {0}, r = 0;
    (void)n;
    for (int32_t k = 0; k < 20; ++k) a[(k * 3 + i) & 7] += in[i] + k;
    for (int32_t k = 0; k < 8; ++k) r = r * 3 + a[(k + in[i]) & 7];
    return r;
}
static void test_own_memory(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  int a[8] = {0}; int r = 0; for (int k = 0; k < 20; ++k) a[(k * 3 + int(i)) & 7] += x + k;\n"
                       "  for (int k = 0; k < 8; ++k) r = r * 3 + a[(k + x) & 7]; out[i] = r; }", want_own);
}

/* Two values that change places in a loop around barriers, and a memory of each thread's that outlives them. */
static int32_t want_across(int32_t i, int32_t n)
{
    const int32_t g = i / n, t = i % n;
    int32_t a = in[i], b = t, sum = 0;
    for (int32_t k = 0; k < 3; ++k) {
        sum += k == 0 ? in[g * n + (t + 1) % n] : k == 1 ? (t + 1) % n : in[g * n + (t + 1) % n];
        const int32_t c = a;
        a = b;
        b = c;
    }
    return sum * 100 + a * 10 + b;
}
static void test_across_barriers(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  threadgroup int s[256]; int a = x, b = int(t), sum = 0; for (int k = 0; k < 3; ++k) { s[t] = a;\n"
                       "    threadgroup_barrier(mem_flags::mem_threadgroup); sum += s[(t + 1) % n];\n"
                       "    threadgroup_barrier(mem_flags::mem_threadgroup); int c = a; a = b; b = c; }\n"
                       "  out[i] = sum * 100 + a * 10 + b; }", want_across);
}

/* A barrier under a condition that is the group's, and a value that only one way changes. */
static int32_t want_chosen(int32_t i, int32_t n)
{
    const int32_t g = i / n, t = i % n, first = in[g * n];
    return first > -40 ? in[i] + in[g * n + n - 1 - t] : in[i] * 5;
}
static void test_chosen_barrier(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  threadgroup int s[256]; int r = x * 5; s[t] = x; if (in[g * n] > -40) {\n"
                       "    threadgroup_barrier(mem_flags::mem_threadgroup); r = x + s[n - 1 - t]; }\n"
                       "  out[i] = r; }", want_chosen);
}

/* Vectors of four and of three, side by side and apart; halves; bools in memory. */
static int32_t want_vectors(int32_t i, int32_t n)
{
    const int32_t k = i % n % 32;
    (void)n;
    return in[4 * k] + 2 * in[4 * k + 1] - in[4 * k + 2] + 3 * in[4 * k + 3] + in[3 * k] * in[3 * k + 2] + (in[k] > 0 ? 9 : 0);
}
static void test_vectors(void **state)
{
    (void)state;
    at_all_shapes(HEAD "  uint k = t % 32; int4 v = ((device const int4 *)in)[k]; packed_int3 p = ((device const packed_int3 *)in)[k];\n"
                       "  threadgroup bool on[256]; on[t] = in[k] > 0; half h = half(v.y) + half(v.y);\n"
                       "  out[i] = v.x + int(h) - v.z + 3 * v.w + p.x * p.z + (on[t] ? 9 : 0); }", want_vectors);
}

/* Numbers drawn by some lanes only: each once. */
static void test_drawn(void **state)
{
    (void)state;
    emu_library *l = emu_text("kernel void k(device atomic_int *next, device int *out, uint i [[thread_position_in_grid]]) {\n"
                              "  if (i % 3 != 0) return; int m = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);\n"
                              "  atomic_fetch_max_explicit(next + 1, int(i), memory_order_relaxed); out[m] = int(i); }");
    int32_t next[2] = {0, 0};
    const emu_case c = {.groups = {3}, .threads = {40}, .buffers = {{next, sizeof next}, {out, sizeof out}}};
    memset(out, 0xff, sizeof out);
    emu_must(l, "k", &c);
    assert_int_equal(next[0], 40);
    assert_int_equal(next[1], 117);
    bool seen[120] = {false};
    for (int i = 0; i < 40; ++i) {
        assert_in_range(out[i], 0, 119);
        assert_int_equal(out[i] % 3, 0);
        assert_false(seen[out[i]]);
        seen[out[i]] = true;
    }
    emu_library_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parted),          cmocka_unit_test(test_loops),          cmocka_unit_test(test_wraps),
        cmocka_unit_test(test_own_memory),      cmocka_unit_test(test_across_barriers), cmocka_unit_test(test_chosen_barrier),
        cmocka_unit_test(test_vectors),         cmocka_unit_test(test_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
