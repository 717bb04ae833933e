/* Checks of kernels of metallibs: what is found in each, and that right ones are clean. */
#define _GNU_SOURCE /* mkdtemp */
#include "emu_help.h"

#include "air_module.h"
#include "emu/engine.h"

static const air_component *air;

static int find_component(void **state)
{
    (void)state;
    ingot_error error;
    air = rt_component(&error);
    if (air == NULL) printf("skipped: %s\n", error.message);
    return 0;
}

#define HEAD                                                                                                            \
    "kernel void k(device float *a [[buffer(0)]], device float *b [[buffer(1)]], device atomic_uint *n [[buffer(2)]],\n" \
    " device uchar *c [[buffer(3)]], uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n threadgroup float s[64];\n"
#define SYNC "threadgroup_barrier(mem_flags::mem_threadgroup);"

/* Runs the body as a metallib under all checks, 2 threadgroups of 64, and expects findings of these rules (RULES ends them), in their order. */
static void expect(const char *body, const emu_rule *want)
{
    float a[128] = {0}, b[128] = {0};
    uint32_t n[4] = {0};
    uint8_t c[128] = {0}, *written[4] = {NULL};
    uint8_t some[512] = {0};
    ingot_error error;
    written[0] = some; /* nobody has written a[64] and what follows */
    memset(some, 1, 256);
    char text[2048];
    (void)snprintf(text, sizeof text, HEAD "%s }", body);
    emu_library *l = emu_text(text);
    buf whole = buf_make(&mem_default), library = buf_make(&mem_default);
    buf_printf(&whole, "%s%s", emu_head, text);
    if (air->build(&mem_default, buf_view(&whole), STR("t.metal"), NULL, &library, NULL, &error) != INGOT_OK) fail_msg("%s", error.message);
    const emu_case x = {.groups = {2}, .threads = {64}, .buffers = {{a, sizeof a}, {b, sizeof b}, {n, sizeof n}, {c, sizeof c}}};
    emu_launch launch = emu_launch_of(l, "k", &x);
    emu_findings found = emu_findings_make(NULL, 0);
    launch.buffer_count = 4;
    launch.written = written;
    launch.checks = EMU_CHECK_ALL;
    launch.findings = &found;
    const air_source source = {.bytes = buf_view(&library), .kernel = "k"};
    air_kernel *k = NULL;
    if (air->load(&mem_default, &source, &k, &error) != INGOT_OK || emu_audit_run(air, k, emu_kernel_describe(launch.kernel), &launch, &error) != INGOT_OK) fail_msg("%s\n%s", error.message, body);
    size_t count = 0;
    while (want[count] != EMU_RULES) ++count;
    for (size_t i = 0; i < found.n; ++i)
        if (found.n != count || found.at[i].rule != want[i]) fail_msg("%zu findings, the first: %s\n%s", found.n, found.at[0].message, body);
    assert_int_equal(found.n, count);
    air->free(k);
    emu_findings_free(&found);
    emu_library_free(l);
    buf_free(&whole);
    buf_free(&library);
}
#define EXPECT(body, ...) expect(body, (const emu_rule[]){__VA_ARGS__})
#define CLEAN(body) EXPECT(body, EMU_RULES)

static void clean_kernels(void **state)
{
    (void)state;
    if (air == NULL) skip();
    CLEAN("s[t] = b[i]; " SYNC " b[i] = s[63 - t];");
    CLEAN("s[t] = b[i]; for (uint r = 32; r > 0; r /= 2) { " SYNC " if (t < r) s[t] += s[t + r]; } if (t == 0) b[i] = s[0];");
    CLEAN("s[t] = b[i]; simdgroup_barrier(mem_flags::mem_threadgroup); b[i] = s[t ^ 1];");
    CLEAN("atomic_fetch_add_explicit(n, 1u, memory_order_relaxed); b[i] = float(atomic_load_explicit(n + 1, memory_order_relaxed));");
    CLEAN("c[i] = uchar(t);"); /* neighbours in one word */
    CLEAN("b[i] = simd_sum(a[t]);");
}

static void races(void **state)
{
    (void)state;
    if (air == NULL) skip();
    EXPECT("s[t] = b[i]; simdgroup_barrier(mem_flags::mem_threadgroup); b[i] = s[t] + s[t & 31];", EMU_FAULT_RACE_GROUP, EMU_RULES);
    EXPECT("s[t] = b[i]; threadgroup_barrier(mem_flags::mem_device); if (t > 0) b[i] = s[t - 1];", EMU_FAULT_RACE_SIMD, EMU_FAULT_RACE_GROUP, EMU_RULES);
    EXPECT("s[t] = b[i]; threadgroup_barrier(mem_flags::mem_none); if (t >= 32) b[i] = s[t - 32];", EMU_FAULT_RACE_GROUP, EMU_RULES);
    EXPECT("if (t == 0) b[5] = 1;", EMU_FAULT_RACE_GRID, EMU_RULES);
    EXPECT("if (i == 0) b[100] = 2; if (i == 64) b[1] = b[100];", EMU_FAULT_RACE_GRID, EMU_RULES);
    EXPECT("if (t == 0) atomic_fetch_add_explicit(n, 1u, memory_order_relaxed); else if (i == 1) ((device uint *)n)[0] = 2;", EMU_FAULT_RACE_ATOMIC,
           EMU_RULES); /* whichever was first */
}

static void first_reads(void **state)
{
    (void)state;
    if (air == NULL) skip();
    EXPECT("b[i] = s[t];", EMU_FAULT_UNINIT_THREADGROUP, EMU_RULES);
    EXPECT("if (t < 60) s[t] = 1; " SYNC " b[i] = s[63 - t];", EMU_FAULT_UNINIT_THREADGROUP, EMU_RULES);
    EXPECT("b[i] = a[i];", EMU_FAULT_UNINIT_DEVICE, EMU_RULES);
    CLEAN("a[i] = 1; b[i] = a[i];");
}

static void barriers_and_bounds(void **state)
{
    (void)state;
    if (air == NULL) skip();
    EXPECT("if (t >= 40) return; " SYNC " b[i] = 1;", EMU_FAULT_BARRIER_RETURN, EMU_RULES);
    EXPECT("if (t < 32) { " SYNC " b[i] = 1; } else { " SYNC " b[i] = 2; }", EMU_FAULT_BARRIER_OTHER, EMU_RULES);
    EXPECT("b[i + 1] = 1;", EMU_FAULT_BOUNDS, EMU_RULES); /* of the second threadgroup's last thread alone */
}

/* Where the module says of what lines it was made, findings do. Both threads store at line 7, column 3. */
static void places(void **state)
{
    (void)state;
    if (air == NULL || getenv("INGOT_LLVM_AS") == NULL) skip();
    buf text = buf_make(&mem_default);
    buf_text(&text, AIR_MODULE_HEAD
             "define void @k(float addrspace(1)* %a) !dbg !8 {\n  store float 1.0, float addrspace(1)* %a, !dbg !10\n  ret void\n}\n"
             "!air.kernel = !{!0}\n!llvm.dbg.cu = !{!4}\n!llvm.module.flags = !{!6, !7}\n!0 = !{void (float addrspace(1)*)* @k, !1, !2}\n!1 = !{}\n!2 = !{!3}\n"
             "!3 = !{i32 0, !\"air.buffer\", !\"air.location_index\", i32 0, i32 1, !\"air.read_write\", !\"air.address_space\", i32 1, "
             "!\"air.arg_type_size\", i32 4, !\"air.arg_type_align_size\", i32 4, !\"air.arg_type_name\", !\"float\", !\"air.arg_name\", !\"a\"}\n"
             "!4 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !5, producer: \"\", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)\n"
             "!5 = !DIFile(filename: \"k.metal\", directory: \"/src\")\n!6 = !{i32 7, !\"Dwarf Version\", i32 4}\n!7 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
             "!8 = distinct !DISubprogram(name: \"k\", scope: !5, file: !5, line: 5, type: !9, unit: !4, spFlags: DISPFlagDefinition)\n"
             "!9 = !DISubroutineType(types: !1)\n!10 = !DILocation(line: 7, column: 3, scope: !8)\n");
    buf library = air_library_of(&text);
    float a[1] = {0};
    ingot_error error;
    const emu_arg arg = {.name = "a", .kind = EMU_ARG_DEVICE, .count = 1, .elem_size = 4, .elem_align = 4, .is_written = true, .type = "float"};
    const emu_kernel_info info = {.name = "k", .args = &arg, .arg_count = 1, .max_threads = 1024};
    const emu_binding buffer = {a, sizeof a};
    emu_findings found = emu_findings_make(NULL, 0);
    const emu_launch launch = {.buffers = &buffer, .buffer_count = 1, .groups = {1, 1, 1}, .threads = {2, 1, 1}, .checks = EMU_CHECK_ALL, .findings = &found};
    const air_source source = {.bytes = buf_view(&library), .kernel = "k"};
    air_kernel *k = NULL;
    assert_int_equal(air->load(&mem_default, &source, &k, &error), INGOT_OK);
    assert_int_equal(emu_audit_run(air, k, &info, &launch, &error), INGOT_OK);
    assert_int_equal(found.n, 1);
    const emu_finding *f = &found.at[0];
    assert_int_equal(f->rule, EMU_FAULT_RACE_SIMD);
    assert_true(f->first.line == 7 && f->first.column == 3 && f->first.thread[0] == 1);
    assert_string_equal(f->first.file, "k.metal");
    air->free(k);
    emu_findings_free(&found);
    buf_free(&library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clean_kernels), cmocka_unit_test(races), cmocka_unit_test(first_reads),
                                       cmocka_unit_test(barriers_and_bounds), cmocka_unit_test(places)};
    return cmocka_run_group_tests(tests, find_component, NULL);
}
