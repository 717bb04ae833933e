/* labels: quick */
/* Copies that run beside a simdgroup, as texts declare them by the compiler's own names: what they leave, and that it is seen after the wait. */
#include "emu_help.h"

/* The declarations as public texts have them, in their own words. */
#define EVENTS                                                                                                                     \
    "struct _event_t;\n"                                                                                                           \
    "thread _event_t *copy_1d(ulong, ulong, threadgroup void *, const device void *, ulong) __asm(\"air.simdgroup_async_copy_1d.p3i8.p1i8\");\n" \
    "thread _event_t *copy_1d(ulong, ulong, device void *, const threadgroup void *, ulong) __asm(\"air.simdgroup_async_copy_1d.p1i8.p3i8\");\n" \
    "thread _event_t *copy_2d(ulong, ulong, threadgroup void *, ulong, ulong, ulong2, const device void *, ulong, ulong, ulong2, long2, int)\n" \
    "  __asm(\"air.simdgroup_async_copy_2d.p3i8.p1i8\");\n"                                                                       \
    "thread _event_t *copy_2d(ulong, ulong, device void *, ulong, ulong, ulong2, const threadgroup void *, ulong, ulong, ulong2, long2, int)\n" \
    "  __asm(\"air.simdgroup_async_copy_2d.p1i8.p3i8\");\n"                                                                       \
    "void wait_all(int, thread _event_t **) __asm(\"air.wait_simdgroup_events\");\n"                                              \
    "struct event { thread _event_t *e;\n"                                                                                         \
    "  template <typename T> void load(threadgroup T *to, const device T *from, ulong n) thread { e = copy_1d(sizeof(T), alignof(T), (threadgroup void *)to, (const device void *)from, n); }\n" \
    "  template <typename T> void store(device T *to, const threadgroup T *from, ulong n) thread { e = copy_1d(sizeof(T), alignof(T), (device void *)to, (const threadgroup void *)from, n); }\n" \
    "  template <typename T> void load(threadgroup T *to, ushort to_row, ushort2 to_tile, const device T *from, uint from_row, ushort2 from_tile, int clamp) thread {\n" \
    "    e = copy_2d(sizeof(T), alignof(T), (threadgroup void *)to, to_row, 1, ulong2(to_tile), (const device void *)from, from_row, 1, ulong2(from_tile), long2(0), clamp); }\n" \
    "  template <typename T> void store(device T *to, uint to_row, ushort2 to_tile, const threadgroup T *from, ushort from_row, ushort2 from_tile) thread {\n" \
    "    e = copy_2d(sizeof(T), alignof(T), (device void *)to, to_row, 1, ulong2(to_tile), (const threadgroup void *)from, from_row, 1, ulong2(from_tile), long2(0), 0); }\n" \
    "  static void wait(int n, thread event *all) { wait_all(n, reinterpret_cast<thread _event_t **>(all)); } };\n"

/* A row in, changed, and out again; 100 halves by 32 and by 20 threads. */
static void one_dimension(void **state)
{
    (void)state;
    static const char body[] = EVENTS
        "kernel void k(device const half *in, device half *out, ushort lane [[thread_index_in_simdgroup]], ushort n [[threads_per_threadgroup]]) {\n"
        "  threadgroup half t[100]; event e; e.load(t, in, 100); event::wait(1, &e); threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  for (ushort i = lane; i < 100; i += n) t[i] = t[i] * 2.0h; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  event f; f.store(out, t, 100); event::wait(1, &f); }";
    for (uint32_t threads = 20; threads <= 32; threads += 12) {
        uint16_t in[100], out[100] = {0};
        for (unsigned i = 0; i < 100; ++i) in[i] = (uint16_t)(i < 50 ? 0x3C00 : 0x4000); /* 1 and 2 */
        emu_case c = {.threads = {threads, 1, 1}, .buffers = {{in, sizeof in}, {out, sizeof out}}};
        emu_once(body, &c);
        for (unsigned i = 0; i < 100; ++i) assert_int_equal(out[i], i < 50 ? 0x4000 : 0x4400);
    }
}

/* A tile of 5 x 3 of a matrix of 7 a row, of which 4 x 2 are there; zeros, or the last row and column, beyond. */
static void clamped(void **state)
{
    (void)state;
    for (int clamp = 0; clamp < 2; ++clamp) {
        char body[8192];
        (void)snprintf(body, sizeof body, "%s%s%d%s", EVENTS,
                       "kernel void k(device const float *in, device float *out, ushort lane [[thread_index_in_simdgroup]]) {\n"
                       "  threadgroup float t[18]; if (lane < 18) t[lane] = 99; simdgroup_barrier(mem_flags::mem_threadgroup);\n"
                       "  event e; e.load(t, 6, ushort2(5, 3), in, 7, ushort2(4, 2), ",
                       clamp, "); event::wait(1, &e); simdgroup_barrier(mem_flags::mem_threadgroup); if (lane < 18) out[lane] = t[lane]; }");
        float in[14], out[18];
        for (unsigned i = 0; i < 14; ++i) in[i] = (float)i + 1;
        emu_case c = {.threads = {32, 1, 1}, .buffers = {{in, sizeof in}, {out, sizeof out}}};
        emu_once(body, &c);
        const float zero[18] = {1, 2, 3, 4, 0, 99, 8, 9, 10, 11, 0, 99, 0, 0, 0, 0, 0, 99};
        const float edge[18] = {1, 2, 3, 4, 4, 99, 8, 9, 10, 11, 11, 99, 8, 9, 10, 11, 11, 99};
        for (unsigned i = 0; i < 18; ++i)
            if (out[i] != (clamp != 0 ? edge : zero)[i]) fail_msg("clamp %d: [%u] is %g", clamp, i, (double)out[i]);
    }
}

/* Two tiles under way at once, elements of 16 bytes, written back from one place to another. */
static void two_at_once(void **state)
{
    (void)state;
    static const char body[] = EVENTS
        "kernel void k(device const float4 *a, device const float4 *b, device float4 *out) {\n"
        "  threadgroup float4 s[6], t[6]; event e[2];\n"
        "  e[0].load(s, 3, ushort2(3, 2), a, 4, ushort2(3, 2), 0); e[1].load(t, 3, ushort2(3, 2), b, 4, ushort2(3, 2), 0); event::wait(2, e);\n"
        "  simdgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  event f[2]; f[0].store(out, 4, ushort2(3, 2), t, 3, ushort2(3, 2)); f[1].store(out + 8, 4, ushort2(3, 2), s, 3, ushort2(3, 2)); event::wait(2, f); }";
    float a[32], b[32], out[64] = {0};
    for (unsigned i = 0; i < 32; ++i) {
        a[i] = (float)i;
        b[i] = (float)i + 100;
    }
    emu_case c = {.threads = {32, 1, 1}, .buffers = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}}};
    emu_once(body, &c);
    for (unsigned i = 0; i < 32; ++i) {
        const bool inside = i % 16 < 12;
        assert_true(out[i] == (inside ? b[i] : 0));
        assert_true(out[32 + i] == (inside ? a[i] : 0));
    }
}

/* The findings of one simdgroup that copies 32 floats, with `between` between the copy's begin and its use. */
static size_t findings_of(const char *between, emu_rule *rule)
{
    char body[8192];
    (void)snprintf(body, sizeof body, "%s%s%s%s", EVENTS,
                   "kernel void k(device const float *in, device float *out, ushort lane [[thread_index_in_simdgroup]]) {\n"
                   "  threadgroup float t[32]; event e; e.load(t, in, 32); ",
                   between, " out[lane] = t[31 - lane]; event::wait(1, &e); }");
    float in[32] = {0}, out[32];
    emu_library *l = emu_text(body);
    emu_case c = {.threads = {32, 1, 1}, .buffers = {{in, sizeof in}, {out, sizeof out}}};
    emu_launch launch = emu_launch_of(l, "k", &c);
    emu_findings found = emu_findings_make(NULL, 0);
    launch.checks = EMU_CHECK_ALL;
    launch.findings = &found;
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    const size_t n = found.n;
    *rule = n != 0 ? found.at[0].rule : EMU_RULES;
    emu_findings_free(&found);
    emu_library_free(l);
    return n;
}

static void seen_after_the_wait(void **state)
{
    (void)state;
    emu_rule rule;
    assert_true(findings_of("", &rule) != 0);
    assert_int_equal(rule, EMU_FAULT_UNINIT_THREADGROUP);
    assert_true(findings_of("simdgroup_barrier(mem_flags::mem_threadgroup);", &rule) != 0); /* a barrier waits for no copy */
    assert_int_equal(rule, EMU_FAULT_UNINIT_THREADGROUP);
    assert_int_equal(findings_of("event::wait(1, &e); simdgroup_barrier(mem_flags::mem_threadgroup);", &rule), 0);
}

static void refused(void **state)
{
    (void)state;
    emu_refused("void other(int) __asm(\"air.nothing.known\"); kernel void k() { other(1); }", "'air.nothing.known', which 'other' stands for, is not supported");
    emu_refused(EVENTS "kernel void k(device const float *in, constant ulong &s) { threadgroup float t[32];\n"
                       "  copy_2d(4, 4, (threadgroup void *)t, 4, s, ulong2(4, 4), (const device void *)in, 4, 1, ulong2(4, 4), long2(0), 0); }",
                "a step other than 1");
    emu_refused(EVENTS "kernel void k(device const float *in, constant long2 &s) { threadgroup float t[32];\n"
                       "  copy_2d(4, 4, (threadgroup void *)t, 4, 1, ulong2(4, 4), (const device void *)in, 4, 1, ulong2(4, 4), s, 0); }",
                "an offset other than 0");
    emu_refused(EVENTS "kernel void k(device const float *in) { threadgroup float t[32]; copy_1d(4, 4, in, (const threadgroup void *)t, 4); }", "copy_1d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_dimension), cmocka_unit_test(clamped), cmocka_unit_test(two_at_once),
                                       cmocka_unit_test(seen_after_the_wait), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
