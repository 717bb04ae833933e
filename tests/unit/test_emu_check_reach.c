/* The checks of memory that is no buffer argument: buffers reached by addresses that lie in buffers, and textures. */
#include "check_help.h"

static float a[256], b[256];
static uint64_t addresses[4];

typedef struct reach {
    emu_launch launch;
    emu_binding buffers[2], resources[2];
    uint8_t *written[2];
    emu_texture textures[2];
    uint8_t *texels[2];
} reach;

/* Runs kernel `k` of the text over the launch of `r`, with these checks. */
static emu_findings reached(reach *r, const char *body, uint32_t groups, uint32_t threads, unsigned checks)
{
    emu_library *l = emu_text(body);
    emu_findings found = emu_findings_make(NULL, 0);
    r->launch = (emu_launch){.kernel = emu_library_find(l, STR("k")),
                             .buffers = r->buffers,
                             .buffer_count = 2,
                             .resources = r->resources,
                             .resource_count = 2,
                             .resource_written = r->written,
                             .textures = r->textures,
                             .texture_count = 2,
                             .texture_written = r->texels,
                             .groups = {groups, 1, 1},
                             .threads = {threads, 1, 1},
                             .checks = checks,
                             .findings = &found};
    ingot_error error;
    if (emu_run(&r->launch, &error) != INGOT_OK) fail_msg("%s", error.message);
    emu_library_free(l);
    return found;
}

static void clean(reach *r, const char *body, uint32_t groups, uint32_t threads)
{
    emu_findings found = reached(r, body, groups, threads, EMU_CHECK_ALL);
    if (found.n != 0) check_show(&found, "nothing was to be found");
    emu_findings_free(&found);
}

/* Exactly one finding: this rule at these lines, in this memory. */
static void finds(reach *r, const char *body, uint32_t groups, uint32_t threads, unsigned checks, const check_want *want, emu_memory memory)
{
    emu_findings found = reached(r, body, groups, threads, checks);
    if (found.n != 1) check_show(&found, "one was to be found");
    const emu_finding *f = &found.at[0];
    if (f->rule != want->rule || f->first.line != want->first || f->second.line != want->second || f->memory != memory ||
        f->element != want->element || (want->buffer != NULL && strcmp(f->buffer, want->buffer) != 0))
        check_show(&found, "another was to be found");
    emu_findings_free(&found);
}

#define BIT(check) (1u << EMU_CHECK_##check)
#define ARGS                                                                                                           \
    "struct pointers { device const float *in; device float *out; device atomic_uint *count; };\n"                       \
    "kernel void k(device const pointers &p [[buffer(0)]], uint i [[thread_position_in_grid]], "                         \
    "uint t [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {\n"

/* p.in is a, p.out and p.count are b. */
static reach addressed(void)
{
    for (int i = 0; i < 256; ++i) {
        a[i] = (float)i;
        b[i] = 0;
    }
    addresses[0] = emu_resource_address(0, 0);
    addresses[1] = addresses[2] = emu_resource_address(1, 0);
    return (reach){.buffers = {{addresses, 24}}, .resources = {{a, 256 * 4}, {b, 256 * 4}}};
}

static void test_addresses(void **state)
{
    (void)state;
    reach r = addressed();
    clean(&r, ARGS "p.out[i] = p.in[255 - i]; }", 4, 64);
    assert_true(b[3] == 252);
    clean(&r, ARGS "p.out[i] = p.in[i]; threadgroup_barrier(mem_flags::mem_device); float x = p.out[i ^ 1];\n"
                   "threadgroup_barrier(mem_flags::mem_device); p.out[i] = x; }",
          4, 64);
    clean(&r, ARGS "atomic_fetch_add_explicit(p.count + i % 3, 1u, memory_order_relaxed); }", 4, 64);
    finds(&r, ARGS "\np.out[i + 2] = 1; }", 4, 64, BIT(BOUNDS), &(check_want){EMU_FAULT_BOUNDS, 6, 0, "", 256}, EMU_MEMORY_RESOURCE);
    finds(&r, ARGS "\np.out[i / 2] = 1; }", 1, 64, BIT(RACE), &(check_want){EMU_FAULT_RACE_SIMD, 6, 6, "", 0}, EMU_MEMORY_RESOURCE);
    finds(&r, ARGS "\np.out[t] = 1; }", 2, 64, BIT(RACE), &(check_want){EMU_FAULT_RACE_GRID, 6, 6, "", 0}, EMU_MEMORY_RESOURCE);
    finds(&r, ARGS "p.out[i] = 1;\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nif (p.out[i ^ 32] == 3) p.out[i] = 2; }", 1, 64,
          BIT(RACE), &(check_want){EMU_FAULT_RACE_GROUP, 7, 5, "", 32}, EMU_MEMORY_RESOURCE);
    finds(&r, ARGS "if (t == 0)\natomic_store_explicit(p.count, 1u, memory_order_relaxed);\nelse if (p.out[0] == 7) p.out[9 + t] = 1; }", 1, 8,
          BIT(RACE), &(check_want){EMU_FAULT_RACE_ATOMIC, 7, 6, "", 0}, EMU_MEMORY_RESOURCE);
    /* two addresses into one buffer, a vector across the elements of the other */
    addresses[0] = emu_resource_address(1, 4 * 32);
    finds(&r, ARGS "\np.out[i] = p.in[i] + ((device const float2 *)p.in)[i].y; }", 2, 32, BIT(RACE),
          &(check_want){EMU_FAULT_RACE_GRID, 6, 6, "", 32}, EMU_MEMORY_RESOURCE);
}

/* A buffer that is an argument and lies at an address too is one memory; a pointer to nothing is a finding. */
static void test_both(void **state)
{
    (void)state;
    reach r = addressed();
    r.buffers[1] = (emu_binding){b, 256 * 4};
    static const char *const both = "struct pointers { device float *out; };\n"
                                    "kernel void k(device const pointers &p [[buffer(0)]], device float *b [[buffer(1)]],\n"
                                    "  uint i [[thread_position_in_grid]]) { b[i] = 1;\n if (b[128 + i] == 5) p.out[i ^ 1] = 2; }";
    addresses[0] = addresses[1];
    b[129] = 5; /* thread 1 alone writes, where thread 0 has */
    emu_findings found = reached(&r, both, 1, 64, BIT(RACE));
    assert_int_equal(found.n, 1);
    assert_int_equal(found.at[0].rule, EMU_FAULT_RACE_SIMD);
    assert_true(found.at[0].element == 0 && found.at[0].first.thread[0] == 1 && found.at[0].second.thread[0] == 0);
    emu_findings_free(&found);
    addresses[1] = 0;
    finds(&r, ARGS "\nif (i == 3) p.out[0] = 1; }", 1, 8, BIT(BOUNDS), &(check_want){EMU_FAULT_UNBOUND, 6, 0, "", 0}, EMU_MEMORY_NONE);
}

static void test_unwritten(void **state)
{
    (void)state;
    reach r = addressed();
    uint8_t written[256 * 4] = {0};
    memset(written, 1, 100 * 4);
    r.written[0] = written;
    finds(&r, ARGS "\np.out[i] = p.in[i]; }", 2, 64, BIT(UNINITIALISED), &(check_want){EMU_FAULT_UNINIT_DEVICE, 6, 0, "", 100},
          EMU_MEMORY_RESOURCE);
    r.written[0] = NULL;
    r.written[1] = written;
    memset(written, 0, sizeof written);
    clean(&r, ARGS "p.out[i] = p.in[i]; p.out[i] += 1; }", 2, 64);
    assert_true(written[127 * 4 + 3] == 1 && written[128 * 4] == 0);
}

#define WRITE "kernel void k(texture2d<float, access::read> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]],\n"      \
              "  uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"
#define BOTH "kernel void k(texture2d<float, access::read> in [[texture(0)]], texture2d<float, access::read_write> out [[texture(1)]],\n"  \
             "  uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"

static emu_texture texture_over(void *data, emu_format format, uint32_t width, uint32_t height)
{
    emu_texture t = {.data = data, .type = EMU_TEXTURE_2D, .format = format, .width = width, .height = height, .depth = 1, .layers = 1};
    t.size = emu_texture_lay_out(&t);
    assert_true(t.size != 0);
    return t;
}

/* Two of 16 x 16 floats. */
static reach textured(void)
{
    reach r = addressed();
    r.buffers[0] = (emu_binding){NULL, 0};
    r.textures[0] = texture_over(a, EMU_FORMAT_R32_FLOAT, 16, 16);
    r.textures[1] = texture_over(b, EMU_FORMAT_R32_FLOAT, 16, 16);
    return r;
}

static void test_texels(void **state)
{
    (void)state;
    reach r = textured();
    clean(&r, WRITE "out.write(in.read(uint2(i / 16, i % 16)), uint2(i % 16, i / 16)); }", 4, 64);
    assert_true(b[1] == 16);
    /* what sampling reads beyond the edge is the sampler's business */
    clean(&r, "kernel void k(texture2d<float> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]], uint i "
              "[[thread_position_in_grid]]) { constexpr sampler s(filter::linear, address::clamp_to_edge), z(address::clamp_to_zero);\n"
              "  out.write(in.sample(s, float2(1.5)) + in.sample(z, float2(-1)), uint2(i, 3)); }",
          1, 16);
    finds(&r, WRITE "\nout.write(float4(1), uint2(i, 3)); }", 1, 20, BIT(BOUNDS), &(check_want){EMU_FAULT_TEXEL, 6, 0, "out", 3 * 16 + 16},
          EMU_MEMORY_TEXTURE);
    finds(&r, WRITE "\nout.write(in.read(uint2(3, 15 + i)), uint2(i, 3)); }", 1, 2, BIT(BOUNDS),
          &(check_want){EMU_FAULT_TEXEL, 6, 0, "in", 16 * 16 + 3}, EMU_MEMORY_TEXTURE);
    finds(&r, WRITE "\nout.write(float4(1), uint2(i / 2, 0)); }", 1, 16, BIT(RACE), &(check_want){EMU_FAULT_RACE_SIMD, 6, 6, "out", 0},
          EMU_MEMORY_TEXTURE);
    finds(&r, WRITE "\nout.write(float4(1), uint2(t, 0)); }", 2, 16, BIT(RACE), &(check_want){EMU_FAULT_RACE_GRID, 6, 6, "out", 0},
          EMU_MEMORY_TEXTURE);
    /* two texels share a word: not a race */
    r.textures[1] = texture_over(b, EMU_FORMAT_R8_UNORM, 16, 16);
    clean(&r, WRITE "out.write(float4(1), uint2(i, 0)); }", 1, 16);
    /* atomic operations do not race; a plain write beside them does */
    r.textures[1] = texture_over(b, EMU_FORMAT_R32_UINT, 16, 16);
    static const char *const counts = "kernel void k(texture2d<uint, access::read_write> out [[texture(1)]], uint i [[thread_position_in_grid]]) {\n"
                                      "  out.atomic_fetch_add(uint2(0), 1u); }";
    memset(b, 0, sizeof b);
    clean(&r, counts, 4, 64);
    uint32_t total;
    memcpy(&total, b, sizeof total);
    assert_int_equal(total, 256);
    static const char *const mixed = "kernel void k(texture2d<uint, access::read_write> out [[texture(1)]], uint i [[thread_position_in_grid]]) {\n"
                                     "  if (i < 32) out.atomic_fetch_add(uint2(2, 0), 1u);\n  else out.write(uint4(7), uint2(2, 0)); }";
    finds(&r, mixed, 1, 33, BIT(RACE), &(check_want){EMU_FAULT_RACE_ATOMIC, 5, 4, "out", 2}, EMU_MEMORY_TEXTURE);
}

/* One texture that is written and read: its own flag orders it. */
static void test_read_write(void **state)
{
    (void)state;
    reach r = textured();
    clean(&r, BOTH "out.write(float4(i), uint2(t % 16, t / 16)); threadgroup_barrier(mem_flags::mem_texture);\n"
                   "float x = out.read(uint2((t ^ 33) % 16, (t ^ 33) / 16)).x; threadgroup_barrier(mem_flags::mem_texture);\n"
                   "out.write(float4(x), uint2(t % 16, t / 16)); }",
          1, 64);
    assert_true(b[1] == 32);
    static const char *const other = BOTH "out.write(float4(i), uint2(t % 16, t / 16));\nthreadgroup_barrier(mem_flags::mem_device);\n"
                                          "if (out.read(uint2((t ^ 33) % 16, (t ^ 33) / 16)).x == 99) out.write(float4(0), uint2(t, 9)); }";
    finds(&r, other, 1, 64, BIT(RACE), &(check_want){EMU_FAULT_RACE_GROUP, 7, 5, "out", 33}, EMU_MEMORY_TEXTURE);
    /* written by one threadgroup and read by the other; a barrier that orders nothing; two threads at one texel */
    static const char *const across = BOTH "if (i < 16)\nout.write(float4(1), uint2(t, 0));\n"
                                           "else if (out.read(uint2(t ^ 1, 0)).x == 5) out.write(float4(2), uint2(t, 3)); }";
    finds(&r, across, 2, 16, BIT(RACE), &(check_want){EMU_FAULT_RACE_GRID, 7, 6, "out", 1}, EMU_MEMORY_TEXTURE);
    static const char *const none = BOTH "out.write(float4(i), uint2(t, 0));\nthreadgroup_barrier(mem_flags::mem_none);\n"
                                         "if (out.read(uint2(t ^ 1, 0)).x == 99) out.write(float4(0), uint2(t, 3)); }";
    finds(&r, none, 1, 16, BIT(RACE), &(check_want){EMU_FAULT_RACE_SIMD, 7, 5, "out", 1}, EMU_MEMORY_TEXTURE);
    finds(&r, WRITE "\nout.write(float4(1), uint2(i % 8, 1)); }", 1, 16, BIT(RACE), &(check_want){EMU_FAULT_RACE_SIMD, 6, 6, "out", 16},
          EMU_MEMORY_TEXTURE);
    /* a position before the first */
    finds(&r, WRITE "\nout.write(float4(1), uint2(i - 1, 2)); }", 1, 8, BIT(BOUNDS),
          &(check_want){EMU_FAULT_TEXEL, 6, 0, "out", 2 * 16 + 4294967295}, EMU_MEMORY_TEXTURE);
    /* each its own; within a simdgroup, whose barrier orders them */
    clean(&r, BOTH "out.write(float4(i), uint2(t % 16, t / 16)); float x = out.read(uint2(t % 16, t / 16)).x;\n"
                   "out.write(float4(x), uint2(t % 16, 8 + t / 16)); }",
          1, 64);
    clean(&r, BOTH "out.write(float4(i), uint2(t % 16, t / 16)); simdgroup_barrier(mem_flags::mem_texture);\n"
                   "float x = out.read(uint2((t ^ 1) % 16, t / 16)).x; out.write(float4(x), uint2(t % 16, 8 + t / 16)); }",
          1, 64);
    assert_true(b[8 * 16] == 1);
}

static void test_unwritten_texels(void **state)
{
    (void)state;
    reach r = textured();
    uint8_t known[256 * 4] = {0};
    memset(known, 1, 32 * 4); /* two rows */
    r.texels[0] = known;
    finds(&r, WRITE "\nout.write(in.read(uint2(i % 16, i / 16)), uint2(i % 16, i / 16)); }", 1, 64, BIT(UNINITIALISED),
          &(check_want){EMU_FAULT_UNINIT_TEXTURE, 6, 0, "in", 32}, EMU_MEMORY_TEXTURE);
    r.texels[0] = NULL;
    r.texels[1] = known;
    clean(&r, WRITE "out.write(in.read(uint2(0)), uint2(i % 16, 5)); }", 1, 16);
    assert_true(known[(5 * 16 + 15) * 4] == 1 && known[6 * 16 * 4] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses), cmocka_unit_test(test_both),       cmocka_unit_test(test_unwritten),
        cmocka_unit_test(test_texels),    cmocka_unit_test(test_read_write), cmocka_unit_test(test_unwritten_texels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
