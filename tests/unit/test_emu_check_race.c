/* The check for races: threads that touch one word with nothing to order them, and correct kernels that must pass. */
/* labels: quick thread */
#include "check_help.h"

#define RACE (1u << EMU_CHECK_RACE)

static float a[4096], b[4096];
static uint32_t u[4096], v[4096];

static emu_case floats(uint32_t groups, uint32_t threads)
{
    for (int i = 0; i < 4096; ++i) {
        a[i] = (float)i;
        b[i] = 0;
        u[i] = v[i] = 0;
    }
    return (emu_case){.groups = {groups}, .threads = {threads},
                      .buffers = {{a, sizeof a}, {b, sizeof b}, {u, sizeof u}, {v, sizeof v}}};
}

#define ARGS                                                                                                           \
    "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], device atomic_uint *u "         \
    "[[buffer(2)]], device uint *v [[buffer(3)]], uint i [[thread_position_in_grid]], uint t "                         \
    "[[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]], uint n "                             \
    "[[threads_per_threadgroup]], uint groups [[threadgroups_per_grid]]) {\n"

static void test_clean(void **state)
{
    (void)state;
    const emu_case c = floats(4, 256);
    check_clean(ARGS "b[i] = a[i] + 1; }", &c);
    assert_true(b[700] == 701);
    /* the tree: a barrier between all rounds */
    check_clean(ARGS "threadgroup float s[256]; s[t] = a[i];\n"
                     "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                     "for (uint d = 128; d > 0; d /= 2) { if (t < d) s[t] += s[t + d];\n"
                     "threadgroup_barrier(mem_flags::mem_threadgroup); }\n"
                     "if (t == 0) b[g] = s[0]; }",
                &c);
    assert_true(b[1] == 256 * 256 + 255 * 128);
    /* device memory handed on within the threadgroup */
    check_clean(ARGS "b[i] = a[i]; threadgroup_barrier(mem_flags::mem_device); float x = b[g * n + (n - 1 - t)];\n"
                     "threadgroup_barrier(mem_flags::mem_device); b[i] = x; }",
                &c);
    emu_case two = c; /* neighbours within a word */
    two.buffers[0].data = two.buffers[2].data = NULL;
    check_clean("kernel void k(device uchar *b [[buffer(1)]], device half *h [[buffer(3)]], uint i "
                "[[thread_position_in_grid]]) { b[i] = uchar(i); h[i] = half(i); }",
                &two);
    /* a simdgroup hands on by its own barrier */
    check_clean(ARGS "threadgroup float s[256]; s[t] = a[i]; simdgroup_barrier(mem_flags::mem_threadgroup);\n"
                     "float x = s[t ^ 1]; simdgroup_barrier(mem_flags::mem_threadgroup); s[t] = x; b[i] = s[t]; }",
                &c);
    const emu_case small = floats(64, 32);
    check_clean(ARGS "threadgroup float s[32]; s[t] = a[i]; threadgroup_barrier(mem_flags::mem_threadgroup);\n"
                     "b[i] = s[31 - t]; }",
                &small);
}

static void test_threadgroup(void **state)
{
    (void)state;
    const emu_case c = floats(3, 64);
    /* written, read by the neighbour, no barrier between */
    emu_findings f = check_found(ARGS "threadgroup float s[64];\ns[t] = a[i];\nb[i] = s[t ^ 32]; }", &c, RACE,
                                 &(check_want){EMU_FAULT_RACE_GROUP, 6, 5, "s", 32});
    assert_true(f.at[0].memory == EMU_MEMORY_THREADGROUP && f.at[0].first.has_thread && f.at[0].second.has_thread);
    assert_int_equal(f.at[0].first.thread[0], 0);
    assert_int_equal(f.at[0].second.thread[0], 32);
    assert_int_equal(f.at[0].second.simdgroup, 1);
    assert_int_equal(f.at[0].first.group[0], 0);
    assert_int_equal(f.at[0].times, 3 * 64);
    emu_findings_free(&f);
    /* within one simdgroup: threads need not run in step */
    check_finds(ARGS "threadgroup float s[64];\ns[t] = a[i];\nb[i] = s[t ^ 1]; }", &c, RACE,
                &(check_want){EMU_FAULT_RACE_SIMD, 6, 5, "s", 1});
    /* a barrier that orders nothing; one of the other memory */
    check_finds(ARGS "threadgroup float s[64];\ns[t] = a[i]; threadgroup_barrier(mem_flags::mem_none);\nb[i] = s[t ^ 32]; }", &c,
                RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 5, "s", 32});
    check_finds(ARGS "threadgroup float s[64];\ns[t] = a[i]; threadgroup_barrier(mem_flags::mem_device);\nb[i] = s[t ^ 32]; }", &c,
                RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 5, "s", 32});
    /* a simdgroup's barrier does not order two simdgroups */
    check_finds(ARGS "threadgroup float s[64];\ns[t] = a[i]; simdgroup_barrier(mem_flags::mem_threadgroup);\nb[i] = s[t ^ 32]; }",
                &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 5, "s", 32});
    /* read in one round, written in the next, the barrier at the loop's end missing */
    check_finds(ARGS "threadgroup float s[64]; float x = 0;\nfor (uint r = 0; r < 3; ++r) {\ns[t] = a[i] + r;\n"
                     "threadgroup_barrier(mem_flags::mem_threadgroup);\nx += s[63 - t]; }\nb[i] = x; }",
                &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 8, "s", 0});
    /* all write one word */
    emu_findings w = check_found(ARGS "threadgroup float s[1];\ns[0] = a[i];\n"
                                      "threadgroup_barrier(mem_flags::mem_threadgroup); b[i] = s[0]; }",
                                 &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 5, 5, "s", 0});
    emu_findings_free(&w);
}

static void test_device(void **state)
{
    (void)state;
    const emu_case c = floats(4, 64);
    /* mem_threadgroup does not order device memory */
    check_finds(ARGS "b[i] = a[i];\nthreadgroup_barrier(mem_flags::mem_threadgroup);\na[0]; v[i] = b[g * n + (63 - t)]; }", &c,
                RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 4, "b", 63});
    /* two threadgroups write one element; one reads what another writes */
    emu_findings f = check_found(ARGS "\nb[t] = a[i]; }", &c, RACE, &(check_want){EMU_FAULT_RACE_GRID, 5, 5, "b", 0});
    assert_int_equal(f.at[0].first.group[0], 1);
    assert_int_equal(f.at[0].second.group[0], 0);
    assert_int_equal(f.at[0].slot, 1);
    emu_findings_free(&f);
    check_finds(ARGS "\nb[i] = a[i];\nif (g == 3) v[i] = uint(b[t]); }", &c, RACE,
                &(check_want){EMU_FAULT_RACE_GRID, 6, 5, "b", 0});
    /* a later threadgroup writes what an earlier one has read: no less a race */
    check_finds(ARGS "\nif (g == 0) v[i] = uint(b[t + 64]);\nelse b[i] = 1; }", &c, RACE,
                &(check_want){EMU_FAULT_RACE_GRID, 6, 5, "b", 64});
    /* in place, shifted by one */
    check_finds(ARGS "\nb[i] = b[i + 1] + 1; }", &c, RACE, &(check_want){EMU_FAULT_RACE_GRID, 5, 5, "b", 64});
    /* a plain counter */
    check_finds(ARGS "\nv[0] += 1; }", &c, RACE, &(check_want){EMU_FAULT_RACE_GRID, 5, 5, "v", 0});
    /* bytes that overlap a word */
    check_finds("kernel void k(device uchar *b [[buffer(1)]], uint i [[thread_position_in_grid]]) {\nb[i / 2] = uchar(i); }", &c,
                RACE, &(check_want){EMU_FAULT_RACE_SIMD, 4, 4, "b", 0});
}

/* Vectors, and elements of several sizes in one buffer: each thread touches several granules. */
static void test_wide(void **state)
{
    (void)state;
    const emu_case c = floats(4, 64);
    static const char *const device = ARGS "((device float4 *)b)[i] = float4(a[i], 1, 2, 3);\n%s\nif (b[4 * (g * n + (63 - t)) + 3] == 7) v[i] = 1; }";
    char text[2048];
    (void)snprintf(text, sizeof text, device, "threadgroup_barrier(mem_flags::mem_device);");
    check_clean(text, &c);
    (void)snprintf(text, sizeof text, device, "");
    check_finds(text, &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 4, "b", 4 * 63 + 3});
    static const char *const group = ARGS "threadgroup float4 s[64]; s[t] = float4(a[i]);\n%s\nb[i] = ((threadgroup float *)s)[t] + s[t].y; }";
    (void)snprintf(text, sizeof text, group, "threadgroup_barrier(mem_flags::mem_threadgroup);");
    check_clean(text, &c);
    (void)snprintf(text, sizeof text, group, "");
    check_finds(text, &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 4, "s", 32}); /* the widest reach is told */
    /* bytes of words */
    static const char *const bytes = ARGS "device uchar *w = (device uchar *)v; v[i] = i;\n%s\nif (w[4 * (i ^ 1) + 2] == 9) b[i] = 1; }";
    (void)snprintf(text, sizeof text, bytes, "threadgroup_barrier(mem_flags::mem_device);");
    check_clean(text, &c);
    (void)snprintf(text, sizeof text, bytes, "");
    check_finds(text, &c, RACE, &(check_want){EMU_FAULT_RACE_SIMD, 6, 4, "v", 6});
    /* one place that all read after one has written it */
    static const char *const one = ARGS "threadgroup float s[1]; if (t == 40) s[0] = a[i];\n%s\nb[i] = s[0] * 2; }";
    (void)snprintf(text, sizeof text, one, "threadgroup_barrier(mem_flags::mem_threadgroup);");
    check_clean(text, &c);
    (void)snprintf(text, sizeof text, one, "simdgroup_barrier(mem_flags::mem_threadgroup);");
    check_finds(text, &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 6, 4, "s", 0});
    /* read by all, then written by one in the same stretch */
    check_finds(ARGS "threadgroup float s[1]; if (t == 0) s[0] = a[i]; threadgroup_barrier(mem_flags::mem_threadgroup);\nfloat x = s[0];\n"
                     "if (t == 33)\ns[0] = 3;\nb[i] = x; }",
                &c, RACE, &(check_want){EMU_FAULT_RACE_GROUP, 7, 5, "s", 0});
}

static void test_atomics(void **state)
{
    (void)state;
    const emu_case c = floats(8, 64);
    check_clean(ARGS "atomic_fetch_add_explicit(&u[i % 7], 1u, memory_order_relaxed); }", &c);
    assert_int_equal(u[0], 74); /* 512 = 7 * 73 + 1 */
    /* atomic by some, plain by others */
    check_finds(ARGS "if (t == 0)\natomic_store_explicit(&u[0], 1u, memory_order_relaxed);\n"
                     "else v[i] = ((device uint *)u)[0]; }",
                &c, RACE, &(check_want){EMU_FAULT_RACE_ATOMIC, 6, 5, "u", 0});
    /* the last threadgroup to be done adds up what all have left */
    static const char *const last =
        "threadgroup uint s[1]; threadgroup float p[64]; p[t] = a[i];\n"
        "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "if (t == 0) { float x = 0; for (uint j = 0; j < n; ++j) x += p[j];\nb[g] = x;\n"
        "%s\n"
        "s[0] = atomic_fetch_add_explicit(&u[0], 1u, memory_order_relaxed); }\n"
        "threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "if (s[0] == groups - 1 && t == 0) { float y = 0; for (uint j = 0; j < groups; ++j)\ny += b[j];\nb[100] = y; } }";
    char text[3072];
    char body[2048];
    (void)snprintf(body, sizeof body, last, "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);");
    (void)snprintf(text, sizeof text, "%s%s", ARGS, body);
    const emu_case once = floats(8, 64);
    check_clean(text, &once);
    assert_true(b[100] == 512 * 511 / 2);
    const emu_case again = floats(8, 64);
    (void)snprintf(body, sizeof body, last, "");
    (void)snprintf(text, sizeof text, "%s%s", ARGS, body);
    check_finds(text, &again, RACE, &(check_want){EMU_FAULT_RACE_GRID, 12, 7, "b", 0});
}

static void test_pool(void **state)
{
    (void)state;
    emu_pool *pool = emu_pool_create(NULL, 2);
    emu_case c = floats(16, 256);
    c.pool = pool;
    check_clean(ARGS "b[i] = a[i] * 2; }", &c);
    emu_findings f = check_run(ARGS "b[t] = a[i]; }", &c, RACE);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.at[0].rule, EMU_FAULT_RACE_GRID);
    assert_int_equal(f.at[0].times, 15 * 256);
    emu_findings_free(&f);
    emu_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),   cmocka_unit_test(test_threadgroup), cmocka_unit_test(test_device), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_atomics), cmocka_unit_test(test_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
