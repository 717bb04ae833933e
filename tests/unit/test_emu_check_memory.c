/* The checks of bounds, alignment and first writes: seeded faults, and kernels that must pass. */
#include <stdio.h>

#include "check_help.h"

static float a[1024], b[1024];
static int32_t n[1024];

static emu_case floats(uint32_t groups, uint32_t threads)
{
    for (int i = 0; i < 1024; ++i) {
        a[i] = (float)i;
        b[i] = 0;
        n[i] = i;
    }
    return (emu_case){.groups = {groups}, .threads = {threads}, .buffers = {{a, 256 * 4}, {b, 256 * 4}, {n, 256 * 4}}};
}

#define ARGS                                                                                                           \
    "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], device int *n [[buffer(2)]], "  \
    "uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"
#define BIT(check) (1u << EMU_CHECK_##check)

static void test_bounds(void **state)
{
    (void)state;
    const emu_case c = floats(4, 64);
    /* past the end: reported, and the run goes on without it */
    emu_findings f = check_found(ARGS "\nb[i + 2] = a[i]; }", &c, BIT(BOUNDS),
                                 &(check_want){EMU_FAULT_BOUNDS, 5, 0, "b", 256});
    assert_int_equal(f.at[0].first.thread[0], 62);
    assert_int_equal(f.at[0].first.group[0], 3);
    assert_int_equal(f.at[0].first.simdgroup, 1);
    assert_int_equal(f.at[0].distance, 4);
    assert_int_equal(f.at[0].memory_size, 1024);
    assert_int_equal(f.at[0].times, 2);
    emu_findings_free(&f);
    assert_true(b[2] == 0 && b[255] == 253 && b[256] == 0 && b[257] == 0);
    /* before the start, at an address that differs from lane to lane in no simple way */
    const emu_case d = floats(1, 64);
    f = check_found(ARGS "\nb[i] = a[n[i] * n[i] % 7 - 2]; }", &d, BIT(BOUNDS), &(check_want){EMU_FAULT_BOUNDS, 5, 0, "a", -2});
    assert_int_equal(f.at[0].distance, -8);
    emu_findings_free(&f);
    assert_true(b[1] == 0 && b[2] == 2); /* 1 % 7 - 2 = -1: read as 0; 4 % 7 - 2 = 2 */
    /* threadgroup and thread arrays */
    check_finds(ARGS "threadgroup float s[32];\ns[t] = a[i];\nthreadgroup_barrier(mem_flags::mem_threadgroup); b[i] = s[0]; }",
                &d, BIT(BOUNDS), &(check_want){EMU_FAULT_BOUNDS, 5, 0, "s", 32});
    check_finds(ARGS "float v[4] = {0, 1, 2, 3};\nb[i] = v[n[i] % 5]; }", &d, BIT(BOUNDS),
                &(check_want){EMU_FAULT_BOUNDS, 5, 0, "v", 4});
    /* all threads at one place */
    check_finds(ARGS "\nb[i] = a[300]; }", &d, BIT(BOUNDS), &(check_want){EMU_FAULT_BOUNDS, 5, 0, "a", 300});
    /* no buffer; a write through const */
    emu_case e = floats(1, 32);
    e.buffers[0].data = NULL;
    check_finds(ARGS "\nb[i] = a[i]; }", &e, BIT(BOUNDS), &(check_want){EMU_FAULT_UNBOUND, 5, 0, "a", 0});
    check_finds(ARGS "\n((device float *)a)[i] = 1; }", &d, BIT(BOUNDS), &(check_want){EMU_FAULT_READ_ONLY, 5, 0, "a", 0});
    /* several faults in one run */
    f = check_run(ARGS "b[i + 250] = 1;\nb[i] = a[i + 255]; }", &d, BIT(BOUNDS));
    assert_int_equal(f.n, 2);
    assert_int_equal(f.at[0].first.line, 4);
    assert_int_equal(f.at[1].first.line, 5);
    assert_int_equal(f.at[1].times, 63);
    emu_findings_free(&f);
}

static void test_alignment(void **state)
{
    (void)state;
    const emu_case c = floats(1, 32);
    check_clean(ARGS "((device float4 *)b)[i] = ((device const float4 *)a)[i]; }", &c);
    emu_findings f = check_found(ARGS "\nfloat2 v = *(device const float2 *)(a + i);\nb[i] = v.x; }", &c, BIT(ALIGNMENT),
                                 &(check_want){EMU_FAULT_MISALIGNED, 5, 0, "a", 0});
    assert_int_equal(f.at[0].byte, 4);
    assert_int_equal(f.at[0].first.thread[0], 1);
    emu_findings_free(&f);
    /* 3-wide vectors over memory that is 85 threes long, and no whole number of fours */
    emu_case three = c;
    three.buffers[2].data = NULL;
    static const char *const sum = "kernel void k(device const %s *a [[buffer(0)]],\ndevice float *b [[buffer(1)]], uint i "
                                   "[[thread_position_in_grid]]) { b[i] = a[i].x + a[i].z; }";
    char text[256];
    three.buffers[0].size = 84 * 3 * 4;
    (void)snprintf(text, sizeof text, sum, "packed_float3");
    check_clean(text, &three);
    assert_true(b[2] == 6 + 8);
    three.buffers[0].size = 85 * 3 * 4;
    (void)snprintf(text, sizeof text, sum, "float3");
    check_finds(text, &three, BIT(ALIGNMENT), &(check_want){EMU_FAULT_PADDED, 3, 0, "a", 0});
}

/* The list of what is found is complete. */
static void test_documented(void **state)
{
    (void)state;
    FILE *f = fopen("docs/findings.md", "rb");
    assert_non_null(f);
    static char page[32768];
    page[fread(page, 1, sizeof page - 1, f)] = '\0';
    (void)fclose(f);
    for (unsigned r = 1; r < EMU_RULES; ++r) {
        char row[128];
        (void)snprintf(row, sizeof row, "| `%s` | %s |", emu_rule_name((emu_rule)r), emu_check_name(emu_rule_check((emu_rule)r)));
        if (strstr(page, row) == NULL) fail_msg("docs/findings.md has no row %s", row);
        assert_true(emu_rule_fix((emu_rule)r)[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds), cmocka_unit_test(test_alignment),
                                       cmocka_unit_test(test_documented)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
