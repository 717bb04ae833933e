/* The software device: pointers as people use them, each kernel's numbers worked out by hand beside it. */
#include "emu_help.h"

static void expect(const char *body, const int32_t *want, size_t n)
{
    int32_t out[16] = {0};
    const emu_case c = {.threads = {4}, .buffers = {{out, sizeof out}}};
    emu_once(body, &c);
    for (size_t i = 0; i < n; ++i)
        if (out[i] != want[i]) fail_msg("%s\n[%zu] is %d, not %d", body, i, out[i], want[i]);
}
#define EXPECT(body, ...)                                                                                              \
    do {                                                                                                               \
        const int32_t want_[] = {__VA_ARGS__};                                                                         \
        expect(body, want_, sizeof want_ / sizeof want_[0]);                                                           \
    } while (0)
#define KERNEL "kernel void k(device int *o, uint t [[thread_position_in_grid]])"

/* Kept in arrays and in structures, reached with an index that differs between threads. */
static void test_kept(void **state)
{
    (void)state;
    EXPECT(KERNEL " { threadgroup int a[4]; a[t] = int(t) * 10; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
           "  threadgroup int *p[4] = {a + 3, a + 2, a + 1, a}; o[t] = *p[t] + p[(t + 1) % 4][0] * 100; }",
           2030, 1020, 10, 3000);
    EXPECT("struct Cursor { device int *at; int left; }; static void put(thread Cursor &c, int v) { *c.at++ = v; --c.left; }\n" KERNEL
           " { Cursor c[2] = {{o + t * 2, 2}, {o + 8 + t, 1}}; put(c[0], 7); put(c[t % 2], int(t)); if (c[0].left == 0) put(c[1], 5);\n"
           "  else *c[0].at = 9; }",
           7, 0, 7, 9, 7, 2, 7, 9, 5, 1, 5, 3);
    EXPECT("constant int low[3] = {1, 2, 3}; constant int high[3] = {10, 20, 30}; constant int *constant both[2] = {low, high + 1};\n" KERNEL
           " { o[t] = both[t % 2][t / 2]; }",
           1, 20, 2, 30);
}

/* To variables of the thread, where only the run can tell which. */
static void test_thread(void **state)
{
    (void)state;
    EXPECT(KERNEL " { int a = int(t), b = 100; thread int *p = t % 2 == 0 ? &a : &b; *p += 5; o[t] = a * 1000 + b; }", 5100, 1105, 7100, 3105);
    EXPECT(KERNEL " { int a[3] = {1, 2, 3}, b[2] = {10, 20}; thread int *p = a; if (t > 1) p = b + 1;\n"
           "  int s = 0; for (int i = 0; i < 2; ++i, t > 1 ? --p : ++p) s = s * 100 + *p; o[t] = s; }",
           102, 102, 2010, 2010);
    EXPECT(KERNEL " { int v[4] = {0, 0, 0, 0}; for (thread int *p = v; p != v + 4; ++p) *p = int(p - v) * 2; o[t] = v[t]; }", 0, 2, 4, 6);
    EXPECT("struct Node { int v; thread Node *next; };\n" KERNEL
           " { Node c = {3, nullptr}, b = {2, &c}, a = {1, &b}; if (t == 2) b.next = nullptr; if (t == 3) a.next = &c;\n"
           "  int s = 0; for (thread Node *n = &a; n; n = n->next) s = s * 10 + n->v; o[t] = s; }",
           123, 123, 12, 13);
    EXPECT(KERNEL " { int a = 1, b = 2; (t % 2 ? a : b) = 9; thread int &r = t < 2 ? a : b; r += 10; o[t] = a * 100 + b; }", 1109, 1902, 119, 912);
    EXPECT(KERNEL " { half h[4] = {1, 2, 3, 4}; float2 f = float2(5, 6); thread half *p = h + t; thread float *q = (thread float *)&f + t % 2;\n"
           "  thread void *any = t < 2 ? (thread void *)p : (thread void *)q; o[t] = t < 2 ? int(*(thread half *)any) : int(*(thread float *)any); }",
           1, 2, 5, 6);
    /* only the chosen side's effect happens */
    EXPECT(KERNEL " { int a[4] = {1, 2, 3, 4}, x = 0, y = 0; int i = int(t); o[t] = (t > 1 ? ++x : a[i++]) * 100 + (t == 0 ? y += 7 : ++y) + i * 1000; }",
           1107, 2201, 2101, 3101);
}

/* Null pointers are none of the thread's variables, and reading through one is a fault. */
static void test_null(void **state)
{
    (void)state;
    EXPECT(KERNEL " { int first = 7; thread int *p = &first, *q = nullptr; o[t] = (p ? 1 : 0) + (q ? 10 : 0) + (p == q ? 100 : 0) + *p * 1000; }",
           7001);
    int32_t out[4] = {0};
    const emu_case c = {.threads = {4}, .buffers = {{out, sizeof out}}};
    emu_fails(KERNEL " { int a = 1; thread int *p = t == 2 ? nullptr : &a; o[t] = *p; }", &c, INGOT_DEVICE, "out of bounds");
    emu_fails(KERNEL " { thread int *p = nullptr; o[t] = *p; }", &c, INGOT_DEVICE, "a null pointer");
    emu_fails(KERNEL " { device int *p[2] = {o, nullptr}; o[t] = *p[t / 2]; }", &c, INGOT_DEVICE, "thread (2, 0, 0)");
    emu_fails(KERNEL " { device int *p[2]; p[0] = o; o[t] = *p[t / 2]; }", &c, INGOT_DEVICE, "a null pointer");
}

/* One buffer in two slots is one place; a slot with nothing bound is null. */
static void test_same_buffer(void **state)
{
    (void)state;
    int32_t a[8] = {0}, b[8] = {0}, out[8] = {0};
    const char *body = "kernel void k(device int *a, device int *b, device int *o) { device int *c = a != b ? b : nullptr;\n"
                       "  o[0] = c ? 1 : 0; o[1] = a == b; o[2] = a + 2 == b; o[3] = a < b + 1 && b < a + 1; o[4] = a ? 1 : 0; o[5] = b == nullptr; }";
    const emu_case same = {.buffers = {{a, sizeof a}, {a, sizeof a}, {out, sizeof out}}};
    emu_once(body, &same);
    const int32_t want[6] = {0, 1, 0, 1, 1, 0};
    assert_memory_equal(out, want, sizeof want);
    const emu_case shifted = {.buffers = {{a, sizeof a}, {a + 2, sizeof a - 8}, {out, sizeof out}}};
    emu_once(body, &shifted);
    const int32_t moved[6] = {1, 0, 1, 0, 1, 0};
    assert_memory_equal(out, moved, sizeof moved);
    const emu_case none = {.buffers = {{b, sizeof b}, {NULL, 0}, {out, sizeof out}}};
    emu_once(body, &none);
    const int32_t missing[6] = {0, 0, 0, 0, 1, 1};
    assert_memory_equal(out, missing, sizeof missing);
}

/* As integers and back: the low bits are those of the offset. */
static void test_integers(void **state)
{
    (void)state;
    EXPECT(KERNEL " { ulong a = (ulong)(o + t); o[t] = int(a % 16); device int *p = (device int *)(a + 16); *p = int(t) + 1; }", 0, 4, 8, 12, 1, 2,
           3, 4);
    EXPECT(KERNEL " { device int *p = o + t, *q = o + 3; o[t] = int((ulong)q - (ulong)p); }", 12, 8, 4, 0);
}

/* Addresses that the host puts in a buffer: an argument buffer's structure. 8 bytes a pointer; past its memory's end is a fault. */
static void test_resources(void **state)
{
    (void)state;
    float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, out[4] = {0};
    struct {
        uint64_t in, factors;
        float scale;
        uint32_t unused;
    } arguments = {emu_resource_address(0, 0), emu_resource_address(1, 4), 0.5f, 0};
    const emu_binding resources[2] = {{a, sizeof a}, {b, sizeof b}};
    const emu_binding buffers[2] = {{&arguments, sizeof arguments}, {out, sizeof out}};
    emu_library *l = emu_text("struct Arguments { device float *in [[id(0)]]; constant float *factors [[id(1)]]; float scale [[id(2)]]; };\n"
                              "kernel void k(constant Arguments &x [[buffer(0)]], device float *o [[buffer(1)]], uint t [[thread_position_in_grid]]) {\n"
                              "  o[t] = x.in[t] * x.scale + x.factors[t % 3]; x.in[t] = 0; }");
    emu_launch launch = {.kernel = emu_library_find(l, STR("k")), .buffers = buffers, .buffer_count = 2, .groups = {1, 1, 1}, .threads = {4, 1, 1}};
    launch.resources = resources;
    launch.resource_count = 2;
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    assert_true(out[0] == 20.5f && out[1] == 31 && out[2] == 41.5f && out[3] == 22);
    assert_true(a[0] == 0 && a[3] == 0 && b[3] == 40);
    arguments.factors = emu_resource_address(1, 8);
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "resource 1 of the launch of 16 bytes"));
    launch.resource_count = 1;
    assert_int_equal(emu_run(&launch, &error), INGOT_DEVICE);
    assert_non_null(strstr(error.message, "a null pointer"));
    emu_library_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_thread),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_same_buffer),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_resources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
