/* The software device: control flow. Each kernel computes one integer a thread; the reference is the same text in C. */
#include "emu_help.h"

/* The bodies are kernels' code: names that hide others and cases that fall through are what is tested. */
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"

enum { N = 700 }; /* threads, and not a multiple of anything */

typedef int32_t (*plain)(int32_t i);

static void check(const char *body, plain expected)
{
    static int32_t out[N];
    static const uint32_t shapes[][2] = {{1, N}, {N, 1}, {7, 100}, {70, 10}, {2, 350}, {28, 25}, {100, 7}};
    buf text = buf_make(&mem_default);
    buf_printf(&text, "%s\nkernel void k(device int *out, uint i [[thread_position_in_grid]]) { out[i] = f(int(i)); }", body);
    buf_char(&text, 0);
    emu_library *l = emu_text(text.p);
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
            const emu_case c = {.groups = {shapes[s][0]}, .threads = {shapes[s][1]}, .buffers = {{out, sizeof out}}};
            memset(out, 0x55, sizeof out);
            emu_must(l, "k", &c);
            for (int32_t i = 0; i < N; ++i)
                if (out[i] != expected(i))
                    fail_msg("thread %d of %ux%u on %s: %d, not %d\n%s", i, shapes[s][0], shapes[s][1], emu_isa_name(isa), out[i],
                             expected(i), body);
        }
    }
    emu_library_free(l);
    buf_free(&text);
}

/* One body, read by the emulator and by the compiler of this test. */
#define SAME(name, ...)                                                                                                \
    static int32_t name##_c __VA_ARGS__ static void test_##name(void **state)                                          \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        check("static int f" #__VA_ARGS__, name##_c);                                                                  \
    }

SAME(if_else, (int i) { int r = 5; if (i % 3 == 0) r = i; else if (i % 3 == 1) r += 2 * i; return r; })
SAME(nested_if, (int i) { int r = 0; if (i > 10) { if (i < 400) { r = 1; if (i % 2 != 0) r = 2; else r = 3; } else r = 4; r += 10; } return r; })
SAME(uniform_loop, (int i) { int s = 0; for (int k = 0; k < 37; ++k) s += k * i; return s; })
SAME(lane_loop, (int i) { int s = 0; for (int k = 0; k < i % 17; ++k) s += k + i; return s; })
SAME(while_loop, (int i) { int n = i + 1; int steps = 0; while (n != 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; ++steps; } return steps; })
SAME(do_loop, (int i) { int n = i; int s = 0; do { s += n & 3; n = n / 3; } while (n > 0); return s; })
SAME(break_out, (int i) { int s = 0; for (int k = 0; k < 50; ++k) { if (k * k > i) break; s += k; } return s; })
SAME(break_value, (int i) { int k = 0; for (k = 0; k < 50; ++k) { if (k * k > i) break; } return k; })
SAME(continue_on, (int i) { int s = 0; for (int k = 0; k < 20; ++k) { if ((k + i) % 3 == 0) continue; s += k; if (k > i) continue; s += 100; } return s; })
SAME(break_and_continue, (int i) { int s = 0; for (int k = 0; k < 30; ++k) { if ((k ^ i) % 5 == 0) continue; if (k + i % 7 > 21) break; s += k * (i % 11); } return s; })
SAME(early_return, (int i) { if (i < 100) return 7; int s = i; if (i % 2 == 0) { s *= 2; if (i > 300) return s + 1; } return s - 1; })
SAME(return_in_loop, (int i) { for (int k = 0; k < 40; ++k) { for (int j = 0; j < 5; ++j) { if (k * 5 + j == i % 150) return k - j; } } return -1; })
SAME(nested_loops, (int i) { int s = 0; for (int a = 0; a < i % 5; ++a) { for (int b = a; b < i % 7; ++b) { if (b == 4) break; if (a == 2) continue; s += a * 10 + b; } if (s > 40) break; } return s; })
SAME(switch_plain, (int i) { int r = 0; switch (i % 6) { case 0: r = 10; break; case 1: r = 20; break; case 4: r = 50; break; default: r = -1; break; } return r; })
SAME(switch_falls, (int i) { int r = 0; switch (i % 5) { case 0: r += 1; case 1: r += 2; break; case 2: r += 4; default: r += 8; case 3: r += 16; } return r; })
SAME(switch_inner_break, (int i) { int r = 0; switch (i % 4) { case 0: if (i > 100) break; r = 1; break; case 1: for (int k = 0; k < 9; ++k) { if (k > i % 6) break; r += k; } case 2: r += 100; if (i % 3 == 0) break; r += 1000; break; default: ; } return r; })
SAME(switch_in_loop, (int i) { int r = 0; for (int k = 0; k < 10; ++k) { switch ((k + i) % 4) { case 0: continue; case 1: r += 1; break; case 2: r += k; break; default: r -= 1; } r += 3; } return r; })
SAME(switch_returns, (int i) { switch (i % 3) { case 0: return 1; case 1: if (i % 2 == 0) return 2; break; default: return 3; } return 4; })
SAME(short_circuit, (int i) { int c = 0; if (i > 5 && (c += 1, i % 2 == 0)) c += 10; if (i < 300 || (c += 100, i > 600)) c += 1000; return c; })
SAME(ternary, (int i) { int a = i % 3 == 0 ? i * 2 : i % 3 == 1 ? i - 7 : -i; return a > 100 ? (a < 200 ? 1 : 2) : a; })
SAME(increments, (int i) { int k = i; int a = k++; a += ++k; int b = k--; b -= --k; k += a * b; return k * 3 + a - b; })
SAME(shadows, (int i) { int x = i; { int x = 5; x += i; i = x; } for (int x = 0; x < 3; ++x) i += x; return i * 100 + x; })
SAME(swap_in_loop, (int i) { int a = 0; int b = 1; for (int k = 0; k < i % 20; ++k) { int t = a + b; a = b; b = t; } return a; })
SAME(old_value, (int i) { int x = i; int before = x; x = x * 2; int s = 0; for (int k = 0; k < 3; ++k) { int o = x; x += 5; s += o; } return before * 1000 + s + x; })
SAME(long_loop, (int i) { int s = 0; for (int k = 0; k < 1000; ++k) { if (k % (1 + i % 3) == 0) s += 1; } return s; })
SAME(counts_down, (int i) { int s = 0; for (int k = 128; k > 0; k >>= 1) { if (i < k) s += k; } return s; })
SAME(negative_step, (int i) { int s = 0; for (int k = 10; k >= -10; k -= 3) s = s * 2 + k * (i % 4); return s; })
SAME(comma, (int i) { int a = 0; int b = 9; for (int k = 0; k < 6; ++k, --b) a += b * i; return a + b; })
SAME(loop_never, (int i) { int s = i; for (int k = 5; k < 5; ++k) s += 1000; while (s < 0) s += 1; return s; })
SAME(unsigned_math, (int i) { unsigned int u = (unsigned int)(i) - 300u; return (int)(u / 7u) ^ (int)(u >> 3u) ^ (int)(u % 10u); })

/* Functions: values, references, pointers, several returns. */
static int32_t functions_c(int32_t i)
{
    const int32_t a = i % 9, b = i % 4;
    const int32_t big = a > b ? a : b, sum = a + b;
    int32_t x = big, y = sum;
    if (x > y - 3) {
        const int32_t t = x;
        x = y;
        y = t;
    }
    return x * 50 + y + (i > 20 ? i - 20 : 0);
}
static void test_functions(void **state)
{
    (void)state;
    check("static int larger(int a, int b) { if (a > b) return a; return b; }\n"
          "static void order(thread int &a, thread int &b, int by) { if (a > b - by) { int t = a; a = b; b = t; } }\n"
          "static void add(thread int *p, int v) { if (v < 0) return; *p += v; }\n"
          "static int f(int i) { int x = larger(i % 9, i % 4); int y = i % 9 + i % 4; order(x, y, 3);\n"
          "  int r = x * 50 + y; add(&r, i - 20); return r; }",
          functions_c);
}

/* Arrays of a thread: known and unknown indices, loops, copies. */
static int32_t arrays_c(int32_t i)
{
    int32_t a[8], s = 0;
    for (int k = 0; k < 8; ++k) a[k] = k * i;
    a[i % 8] += 1000;
    for (int k = 0; k < 8; ++k) s += a[(k + i) % 8] * (k + 1);
    return s + a[3];
}
static void test_arrays(void **state)
{
    (void)state;
    check("static int f(int i) { int a[8]; int s = 0; for (int k = 0; k < 8; ++k) a[k] = k * i; a[i % 8] += 1000;\n"
          "  for (int k = 0; k < 8; ++k) s += a[(k + i) % 8] * (k + 1); return s + a[3]; }",
          arrays_c);
}

static int32_t structs_c(int32_t i)
{
    const int32_t x = i * 2, y = i / 2;
    return (x > 100 ? y : x) + (x + y) * 3;
}
static void test_structs(void **state)
{
    (void)state;
    check("struct pair { int x; short pad; int y; };\n"
          "static pair make(int i) { pair p; p.x = i * 2; p.y = i / 2; p.pad = 3; return p; }\n"
          "static int total(pair p) { return p.x + p.y; }\n"
          "static int f(int i) { pair a[2]; a[0] = make(i); a[1] = a[0]; thread pair *q = &a[1]; q->pad = 3; pair b = *q;\n"
          "  if (b.x > 100) b.x = b.y; return b.x + total(a[0]) * int(q->pad); }",
          structs_c);
}

/* A loop that never ends is stopped, and says where. */
static void test_endless(void **state)
{
    (void)state;
    int32_t out[64];
    const emu_case c = {.groups = {1}, .threads = {64}, .buffers = {{out, sizeof out}}, .budget = 100000};
    emu_fails("kernel void k(device int *out, uint i [[thread_position_in_grid]]) { while (true) { out[i] = 1; } }", &c,
              INGOT_DEVICE, "budget");
    emu_fails("kernel void k(device int *out, uint i [[thread_position_in_grid]]) { for (;;) { if (i == 77) break; } }", &c,
              INGOT_DEVICE, "test.metal:3:");
}

/* Threads that have ended do not hold others up at a barrier: 96 threads, each writing once; where they ended first, 0. */
#define MEET "threadgroup_barrier(mem_flags::mem_threadgroup);"
static void ended(const char *body, const int32_t want[96])
{
    char text[1024];
    int32_t out[96] = {0}, word[1] = {0};
    const emu_case c = {.groups = {1}, .threads = {96}, .buffers = {{out, sizeof out}, {word, sizeof word}}};
    (void)snprintf(text, sizeof text,
                   "kernel void k(device int *o [[buffer(0)]], device atomic_int *w [[buffer(1)]], uint i [[thread_position_in_grid]])"
                   " { threadgroup int s[96]; %s }",
                   body);
    emu_once(text, &c);
    for (int i = 0; i < 96; ++i)
        if (out[i] != want[i]) fail_msg("o[%d] is %d, not %d:\n%s", i, (int)out[i], (int)want[i], text);
}

static void test_ended(void **state)
{
    (void)state;
    int32_t part[96] = {0}, simd[96] = {0}, rounds[96];
    for (int i = 0; i < 40; ++i) part[i] = 10 * (39 - i);
    for (int i = 0; i < 96; ++i) simd[i] = i / 32 == 1 ? 0 : 10 * (95 - i);
    for (int i = 0; i < 96; ++i) rounds[i] = i < 48 ? 6 : i < 64 ? 3 : i < 80 ? 1 : 0; /* sums of the rounds, from 1 on, that they do */
    ended("if (i >= 40) return; s[i] = i * 10; " MEET " o[i] = s[39 - i];", part);
    ended("if (i < 40) { s[i] = i * 10; " MEET " o[i] = s[39 - i]; }", part);
    ended("if (i / 32 == 1) return; s[i] = i * 10; " MEET " o[i] = s[95 - i];", simd);
    ended("for (uint r = 1; r < 4; ++r) { if (i >= 96 - 16 * r) return; if (i == 0) s[0] = r; " MEET " o[i] += s[0]; " MEET " }", rounds);
    /* simdgroups that run one by one, since one may wait for another */
    ended("while (atomic_load_explicit(w, memory_order_relaxed) != 0) {} if (i >= 40) return; s[i] = i * 10; " MEET " o[i] = s[39 - i];", part);
    ended("while (atomic_load_explicit(w, memory_order_relaxed) != 0) {} if (i / 32 == 1) return; s[i] = i * 10; " MEET " o[i] = s[95 - i];", simd);
}

/* Others than that they do hold up. */
static void test_not_ended(void **state)
{
    (void)state;
    int32_t out[64];
    const emu_case c = {.groups = {1}, .threads = {64}, .buffers = {{out, sizeof out}}};
    emu_fails("kernel void k(device int *o, uint i [[thread_position_in_grid]]) { if (i < 40) { " MEET " } o[i] = 1; }", &c, INGOT_DEVICE,
              "barrier");
    emu_fails("kernel void k(device int *o, uint i [[thread_position_in_grid]]) { if (i < 40) { " MEET " } else { " MEET " } }", &c,
              INGOT_DEVICE, "barrier");
    emu_fails("static void f(uint i) { if (i > 40) return; " MEET " }\nkernel void k(device int *o, uint i [[thread_position_in_grid]]) "
              "{ f(i); o[i] = 1; }",
              &c, INGOT_DEVICE, "barrier");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_else),        cmocka_unit_test(test_nested_if),    cmocka_unit_test(test_uniform_loop),
        cmocka_unit_test(test_lane_loop),      cmocka_unit_test(test_while_loop),   cmocka_unit_test(test_do_loop),
        cmocka_unit_test(test_break_out),      cmocka_unit_test(test_break_value),  cmocka_unit_test(test_continue_on),
        cmocka_unit_test(test_break_and_continue), cmocka_unit_test(test_early_return), cmocka_unit_test(test_return_in_loop),
        cmocka_unit_test(test_nested_loops),   cmocka_unit_test(test_switch_plain), cmocka_unit_test(test_switch_falls),
        cmocka_unit_test(test_switch_inner_break), cmocka_unit_test(test_switch_in_loop), cmocka_unit_test(test_switch_returns),
        cmocka_unit_test(test_short_circuit),  cmocka_unit_test(test_ternary),      cmocka_unit_test(test_increments),
        cmocka_unit_test(test_shadows),        cmocka_unit_test(test_swap_in_loop), cmocka_unit_test(test_old_value),
        cmocka_unit_test(test_long_loop),      cmocka_unit_test(test_counts_down),  cmocka_unit_test(test_negative_step),
        cmocka_unit_test(test_comma),          cmocka_unit_test(test_loop_never),   cmocka_unit_test(test_unsigned_math),
        cmocka_unit_test(test_functions),      cmocka_unit_test(test_arrays),       cmocka_unit_test(test_structs),
        cmocka_unit_test(test_endless),        cmocka_unit_test(test_ended),        cmocka_unit_test(test_not_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
