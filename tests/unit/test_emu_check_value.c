/* The checks of first reads and of numbers: what was never written, NaN and infinity made, undefined integer operations. */
#include "check_help.h"

static float a[256], b[256];
static int32_t n[256], m[256];

static emu_case values(uint32_t groups, uint32_t threads)
{
    for (int i = 0; i < 256; ++i) {
        a[i] = (float)i;
        b[i] = 0;
        n[i] = i;
        m[i] = 0;
    }
    return (emu_case){.groups = {groups}, .threads = {threads},
                      .buffers = {{a, 256 * 4}, {b, 256 * 4}, {n, 256 * 4}, {m, 256 * 4}}};
}

#define ARGS                                                                                                           \
    "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], device const int *n "           \
    "[[buffer(2)]], device int *m [[buffer(3)]], uint i [[thread_position_in_grid]], uint t "                          \
    "[[thread_position_in_threadgroup]]) {\n"
#define SYNC "threadgroup_barrier(mem_flags::mem_threadgroup);"
#define UNINIT (1u << EMU_CHECK_UNINITIALISED)
#define NUMERICS (1u << EMU_CHECK_NUMERICS)

static void test_unwritten(void **state)
{
    (void)state;
    const emu_case c = values(2, 64);
    emu_findings f = check_found(ARGS "threadgroup float s[64];\nif (t != 5) s[t] = a[i];\n" SYNC "\nb[i] = s[t]; }", &c, UNINIT,
                                 &(check_want){EMU_FAULT_UNINIT_THREADGROUP, 7, 0, "s", 5});
    assert_int_equal(f.at[0].first.thread[0], 5);
    assert_int_equal(f.at[0].times, 2);
    emu_findings_free(&f);
    check_finds(ARGS "threadgroup atomic_uint s[64];\natomic_fetch_add_explicit(&s[t], 1u, memory_order_relaxed);\nb[i] = 1; }", &c,
                UNINIT, &(check_want){EMU_FAULT_UNINIT_THREADGROUP, 5, 0, "s", 0});
    /* variables and arrays of a thread */
    f = check_found(ARGS "float x;\nif (n[i] < 100) x = a[i];\nb[i] = x; }", &c, UNINIT,
                    &(check_want){EMU_FAULT_UNINIT_LOCAL, 6, 0, NULL, 0});
    assert_string_equal(f.at[0].buffer, "x");
    assert_int_equal(f.at[0].first.thread[0], 36); /* 64 + 36 = 100 */
    assert_int_equal(f.at[0].first.group[0], 1);
    assert_int_equal(f.at[0].times, 28);
    emu_findings_free(&f);
    check_finds(ARGS "float x;\nfor (int r = 0; r < n[i]; ++r)\nx += 1;\nb[i] = 0; }", &c, UNINIT,
                &(check_want){EMU_FAULT_UNINIT_LOCAL, 6, 0, NULL, 0});
    check_finds(ARGS "float v[4];\nfor (int r = 0; r < 3; ++r) v[(r + n[i]) % 4] = 1;\nb[i] = v[n[i] / 4 % 4]; }", &c, UNINIT,
                &(check_want){EMU_FAULT_UNINIT_ARRAY, 6, 0, "v", 0});
    /* nothing to find */
    check_clean(ARGS "float x; if (n[i] < 50) x = a[i]; else x = 1; b[i] = x; }", &c);
    check_clean(ARGS "float x; bool is = n[i] < 50; if (is) x = a[i]; b[i] = is ? x : 1; }", &c);
    check_clean(ARGS "float v[4]; for (int r = 0; r < 4; ++r) v[(r + n[i]) % 4] = 1; b[i] = v[n[i] % 4]; }", &c);
    check_clean("struct two { float x, y; };\n" ARGS "two p; p.x = a[i]; two q = p; b[i] = q.x; }", &c);
    /* what a copy lacks: by declaration, by assignment, through a call */
    check_finds("struct two { float x, y; };\n" ARGS "two p; p.x = a[i]; two q = p;\nb[i] = q.x + q.y; }", &c, UNINIT,
                &(check_want){EMU_FAULT_UNINIT_LOCAL, 6, 0, NULL, 0});
    check_finds("struct two { float x, y; };\n" ARGS "two p, q; p.x = a[i]; q.y = 1; q = p;\nb[i] = q.y; }", &c, UNINIT,
                &(check_want){EMU_FAULT_UNINIT_LOCAL, 6, 0, NULL, 0});
    check_finds("struct two { float x, y; };\nfloat second(two q) {\nreturn q.y; }\n" ARGS "two p; p.x = a[i]; b[i] = second(p); }", &c, UNINIT,
                &(check_want){EMU_FAULT_UNINIT_LOCAL, 5, 0, NULL, 0});
    check_clean("struct two { float x, y; };\n" ARGS "two p; p.x = a[i]; two q = p; q.y = 2; two r = q; b[i] = r.x + r.y; }", &c);
    check_clean(ARGS "float4 v; v.x = a[i]; v.yzw = float3(1); b[i] = v.x + v.w; }", &c);
}

static void test_device_memory(void **state)
{
    (void)state;
    const emu_case c = values(2, 64);
    emu_library *l = emu_text(ARGS "\nb[i] = b[i + 64 - 128 * (i / 64)] + 1; }");
    uint8_t written[256 * 4] = {0};
    memset(written, 1, 64 * 4);
    uint8_t *const maps[8] = {NULL, written};
    emu_findings found = emu_findings_make(NULL, 0);
    emu_launch launch = emu_launch_of(l, "k", &c);
    launch.checks = UNINIT;
    launch.findings = &found;
    launch.written = maps;
    ingot_error error;
    assert_int_equal(emu_run(&launch, &error), INGOT_OK);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.at[0].rule, EMU_FAULT_UNINIT_DEVICE);
    assert_int_equal(found.at[0].element, 64);
    assert_int_equal(found.at[0].times, 64);
    assert_string_equal(found.at[0].buffer, "b");
    assert_true(written[4 * 127] == 1 && written[4 * 128] == 0);
    emu_findings_free(&found);
    assert_int_equal(emu_run(&launch, &error), INGOT_OK); /* the launch before has written it */
    assert_int_equal(found.n, 0);
    emu_library_free(l);
}

static void test_lanes(void **state)
{
    (void)state;
    const emu_case c = values(2, 64);
    check_clean(ARGS "b[i] = simd_shuffle_down(a[i], 16) + simd_shuffle_xor(a[i], 1) + simd_sum(a[i]); }", &c);
    emu_findings f = check_found(ARGS "if (t < 40)\nb[i] = simd_shuffle_xor(a[i], 8); }", &c, UNINIT,
                                 &(check_want){EMU_FAULT_UNINIT_LANE, 5, 0, NULL, 0});
    assert_int_equal(f.at[0].first.thread[0], 32);
    emu_findings_free(&f);
}

static void test_numbers(void **state)
{
    (void)state;
    const emu_case c = values(2, 64);
    check_clean(ARGS "b[i] = exp(-a[i]) / (a[i] + 1); m[i] = n[i] == 0 ? 0 : 100 / n[i]; }", &c);
    check_clean(ARGS "b[i] = fmax(-INFINITY, a[i]) + exp(-INFINITY); }", &c);
    check_clean(ARGS "if (n[i] != 0 && 7 / n[i] > 2) m[i] = 1 << (n[i] & 31); }", &c);
    check_finds(ARGS "\nb[i] = (a[i] - 3) / (a[i] - 3); }", &c, NUMERICS, &(check_want){EMU_FAULT_NAN, 5, 0, NULL, 0});
    check_finds(ARGS "\nb[i] = exp(a[i]); }", &c, NUMERICS, &(check_want){EMU_FAULT_INFINITY, 5, 0, NULL, 0});
    check_finds(ARGS "\nb[i] = float(half(a[i] * 1000)); }", &c, NUMERICS, &(check_want){EMU_FAULT_INFINITY, 5, 0, NULL, 0});
    /* only where it is made, not where it goes on */
    check_finds(ARGS "\nfloat x = log(a[i]);\nb[i] = x * 2 + 1; }", &c, NUMERICS, &(check_want){EMU_FAULT_INFINITY, 5, 0, NULL, 0});
    emu_findings f = check_found(ARGS "\nm[i] = 100 / (n[i] - 70); }", &c, NUMERICS,
                                 &(check_want){EMU_FAULT_DIVISION, 5, 0, NULL, 0});
    assert_int_equal(f.at[0].first.thread[0], 6);
    assert_int_equal(f.at[0].first.group[0], 1);
    assert_int_equal(f.at[0].times, 1);
    emu_findings_free(&f);
    check_finds(ARGS "\nm[i] = 1 << n[i]; }", &c, NUMERICS, &(check_want){EMU_FAULT_SHIFT, 5, 0, NULL, 0});
    check_finds(ARGS "\nm[i] = int(a[i] * 1e8f); }", &c, NUMERICS, &(check_want){EMU_FAULT_CONVERSION, 5, 0, NULL, 0});
    check_finds(ARGS "\nm[i] = uchar(a[i] * 4); }", &c, NUMERICS, &(check_want){EMU_FAULT_CONVERSION, 5, 0, NULL, 0});
    /* an index that wraps: 2^16 * 2^16 is 0 in 32 bits */
    check_finds(ARGS "int w = (n[i] + 1) << 10;\nb[i] = a[(w * w) / 2 * 0 + (w << 6) * 65536]; }", &c, NUMERICS,
                &(check_want){EMU_FAULT_INDEX, 5, 0, NULL, 0});
    /* the same for all threads, from the thread's place alone, from memory: 1 * 2^16 * 2^16 */
    check_finds(ARGS "\nb[i] = a[uint(n[1]) * 65536u * 65536u]; }", &c, NUMERICS, &(check_want){EMU_FAULT_INDEX, 5, 0, NULL, 0});
    check_finds(ARGS "\nb[i] = a[t * 65536u * 65536u]; }", &c, NUMERICS, &(check_want){EMU_FAULT_INDEX, 5, 0, NULL, 0});
    f = check_found(ARGS "\nb[i] = a[uint(n[i]) * 65536u * 65536u]; }", &c, NUMERICS, &(check_want){EMU_FAULT_INDEX, 5, 0, NULL, 0});
    assert_int_equal(f.at[0].first.thread[0], 1);
    assert_int_equal(f.at[0].times, 127);
    emu_findings_free(&f);
    /* what wraps and wraps back is right */
    check_clean(ARGS "uint w = t - 3; int q = n[i] - 200; b[i] = a[w + 3u] + a[q + 200] + a[(i + 7u) * 2u - i * 2u - 14u]; }", &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unwritten), cmocka_unit_test(test_device_memory), cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
