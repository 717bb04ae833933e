/* The check of barriers: which threads do not come, and why; kernels whose barriers are right. */
#include "check_help.h"

static float a[1024], b[1024];
static int32_t n[1024];

static emu_case floats(uint32_t groups, uint32_t threads)
{
    for (int i = 0; i < 1024; ++i) {
        a[i] = (float)i;
        b[i] = 0;
        n[i] = i % 64;
    }
    return (emu_case){.groups = {groups}, .threads = {threads}, .buffers = {{a, 1024 * 4}, {b, 1024 * 4}, {n, 1024 * 4}}};
}

#define ARGS                                                                                                           \
    "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], device int *n [[buffer(2)]], "  \
    "uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"
#define SYNC "threadgroup_barrier(mem_flags::mem_threadgroup);"
#define BARRIER (1u << EMU_CHECK_BARRIER)

static void test_clean(void **state)
{
    (void)state;
    const emu_case c = floats(4, 64);
    check_clean(ARGS "if (n[63] == 63) { " SYNC " b[i] = a[i]; } else { b[i] = 1; " SYNC " } }", &c);
    check_clean(ARGS "for (int r = 0; r < n[5]; ++r) { " SYNC " if (r == 3) break; } b[i] = a[i]; }", &c);
    /* threads that are done go on to the barriers */
    check_clean(ARGS "threadgroup float s[64]; s[t] = a[i];\nfor (int r = 0; r < 8; ++r) {\nif (int(t) > r) s[t] += 1;\n" SYNC
                     " }\nb[i] = s[t]; }",
                &c);
}

static void test_divergent(void **state)
{
    (void)state;
    const emu_case c = floats(2, 64);
    emu_findings f = check_found(ARGS "\nif (t < 40) {\nb[i] = a[i];\n" SYNC " } }", &c, BARRIER,
                                 &(check_want){EMU_FAULT_BARRIER_BRANCH, 7, 5, NULL, 0});
    assert_int_equal(f.at[0].first.thread[0], 0);
    assert_int_equal(f.at[0].second.thread[0], 63);
    assert_int_equal(f.at[0].second.group[0], 0);
    assert_int_equal(f.at[0].times, 2);
    emu_findings_free(&f);
    /* two barriers, one a branch */
    check_finds(ARGS "if (t < 40) {\n" SYNC " }\nelse {\n" SYNC " }\nb[i] = 1; }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_OTHER, 5, 7, NULL, 0});
    /* threads that return first */
    check_finds(ARGS "if (n[i] > 60)\nreturn;\nb[i] = 1;\n" SYNC " }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_RETURN, 7, 5, NULL, 0});
    /* trip counts that differ */
    check_finds(ARGS "\nfor (int r = 0; r < n[i]; ++r) {\nb[i] += 1;\n" SYNC " } }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_LOOP, 7, 5, NULL, 0});
    check_finds(ARGS "\nfor (int r = 0; r < 64; ++r) {\nif (n[i] < r)\nbreak;\n" SYNC " } }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_LOOP, 8, 7, NULL, 0});
    check_finds(ARGS "\nfor (int r = 0; r < 64; ++r) {\nif (n[i] == r)\ncontinue;\n" SYNC " } }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_BRANCH, 8, 7, NULL, 0});
    /* a simdgroup's barrier, where half of a simdgroup is away */
    check_finds(ARGS "\nif (t < 16)\nsimdgroup_barrier(mem_flags::mem_threadgroup);\nb[i] = 1; }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_BRANCH, 6, 5, NULL, 0});
    /* in a function that is called */
    check_finds("void f() {\n" SYNC "\n}\n" ARGS "if (t < 3)\nf();\nb[i] = 1; }", &c, BARRIER,
                &(check_want){EMU_FAULT_BARRIER_BRANCH, 4, 7, NULL, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clean), cmocka_unit_test(test_divergent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
