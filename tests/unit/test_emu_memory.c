/* The software device: memory. Pointers, vectors, structs, thread arrays, threadgroup memory, faults with their places. */
#include "emu_help.h"

/* Pointers: arithmetic, casts to other elements, kept in variables, stepped in loops, given to functions, compared. */
static void test_pointers(void **state)
{
    (void)state;
    enum { N = 96 };
    float in[4 * N], out[4 * N] = {0}, sums[N] = {0};
    for (int i = 0; i < 4 * N; ++i) in[i] = (float)(i * i % 101);
    const emu_case c = {.groups = {3}, .threads = {32}, .buffers = {{in, sizeof in}, {out, sizeof out}, {sums, sizeof sums}}};
    emu_once("static float total(device const float *p, int n) { float s = 0; device const float *end = p + n;\n"
             "  for (; p != end; ++p) s += *p; return s; }\n"
             "kernel void k(device const float *in, device float *out, device float *sums, uint i [[thread_position_in_grid]]) {\n"
             "  device const float *p = in + 4 * i; device float *q = out; q += i * 4;\n"
             "  *(device float4 *)q = *(device const float4 *)p * 2.0f;\n"
             "  *((device uint *)(q + 1)) = as_type<uint>(p[3]); q[2] = float((p + 3) - p); (&q[3])[0] = p[0] + *(p + 1);\n"
             "  sums[i] = total(in + i, 1 + int(i % 7)); }",
             &c);
    for (int i = 0; i < N; ++i) {
        assert_true(out[4 * i] == in[4 * i] * 2 && out[4 * i + 1] == in[4 * i + 3] && out[4 * i + 2] == 3 &&
                    out[4 * i + 3] == in[4 * i] + in[4 * i + 1]);
        double s = 0;
        for (int k = 0; k <= i % 7; ++k) s += (double)in[i + k];
        assert_true((double)sums[i] == s);
    }
}

/* Which of two buffers a pointer points into is known only at run time, a thread each. */
static void test_chosen_pointer(void **state)
{
    (void)state;
    enum { N = 70 };
    int32_t a[N], b[N], out[N];
    for (int i = 0; i < N; ++i) {
        a[i] = i;
        b[i] = 1000 + i;
    }
    const emu_case c = {.threads = {N}, .buffers = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}}};
    emu_once("kernel void k(device int *a, device int *b, device int *out, uint i [[thread_position_in_grid]]) {\n"
             "  device int *p = i % 3 == 0 ? a : b; for (int n = 0; n < 2; ++n) { if (i % 5 == 0) p = b; }\n"
             "  out[i] = p[i]; p[i] += 5; }",
             &c);
    for (int i = 0; i < N; ++i) {
        const bool from_a = i % 3 == 0 && i % 5 != 0;
        assert_int_equal(out[i], from_a ? i : 1000 + i);
        assert_int_equal(a[i], from_a ? i + 5 : i);
        assert_int_equal(b[i], from_a ? 1000 + i : 1005 + i);
    }
}

/* Vectors of every width and many elements, loaded, swizzled, written in part. */
static void test_vectors(void **state)
{
    (void)state;
    enum { N = 40 };
    uint8_t bytes[4 * N];
    float wide[4 * N] = {0}, packed[3 * N] = {0}, part[4 * N] = {0};
    int16_t shorts[2 * N];
    for (int i = 0; i < 4 * N; ++i) bytes[i] = (uint8_t)(i * 7);
    for (int i = 0; i < 2 * N; ++i) shorts[i] = (int16_t)(i * 1000 - 40000);
    const emu_case c = {.groups = {5}, .threads = {8},
                        .buffers = {{bytes, sizeof bytes}, {wide, sizeof wide}, {packed, sizeof packed}, {part, sizeof part},
                                    {shorts, sizeof shorts}}};
    emu_once("kernel void k(device const uchar4 *bytes, device float4 *wide, device packed_float3 *packed, device float4 *part,\n"
             "              device short2 *shorts, uint i [[thread_position_in_grid]]) {\n"
             "  float4 v = float4(bytes[i]); wide[i] = v.wzyx + float4(1, 2, 3, 4);\n"
             "  float3 t = v.xyz; t.yz = t.zy; t.x += 0.5f; packed[i] = packed_float3(t);\n"
             "  part[i].xw = v.yy; part[i][1] = v[i % 4]; part[i].z = dot(v.xy, float2(1, -1));\n"
             "  short2 s = shorts[i]; s -= short2(1); shorts[i] = s.yx; }",
             &c);
    for (int i = 0; i < N; ++i) {
        const float v[4] = {bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]};
        for (int k = 0; k < 4; ++k) assert_true(wide[4 * i + k] == v[3 - k] + (float)(k + 1));
        assert_true(packed[3 * i] == v[0] + 0.5f && packed[3 * i + 1] == v[2] && packed[3 * i + 2] == v[1]);
        assert_true(part[4 * i] == v[1] && part[4 * i + 3] == v[1] && part[4 * i + 1] == v[i % 4] && part[4 * i + 2] == v[0] - v[1]);
        assert_int_equal(shorts[2 * i], (int16_t)((2 * i + 1) * 1000 - 40000 - 1));
        assert_int_equal(shorts[2 * i + 1], (int16_t)(2 * i * 1000 - 40000 - 1));
    }
}

/* Structs in buffers, by pointer and reference, with arrays and vectors inside; a three-element vector is padded. */
typedef struct item {
    int32_t id;
    float v[3];
    _Alignas(16) float at[4];
    uint8_t flag;
} item;
static void test_structs(void **state)
{
    (void)state;
    enum { N = 33 };
    item items[N];
    memset(items, 0, sizeof items);
    for (int i = 0; i < N; ++i) items[i] = (item){i, {1, 2, (float)i}, {(float)i, 5, 6, 77}, (uint8_t)(i % 2)};
    struct {
        int32_t n;
        float scale;
    } args = {N - 3, 2.5f};
    const emu_case c = {.groups = {2}, .threads = {32}, .buffers = {{items, sizeof items}, {&args, sizeof args}}};
    emu_once("struct item { int id; float v[3]; float3 at; bool flag; };\n"
             "struct args { int n; float scale; };\n"
             "static void touch(device item &it, constant args &a) { it.v[it.id % 3] *= a.scale; it.at.y = it.at.x + a.scale; }\n"
             "kernel void k(device item *items, constant args &a, uint i [[thread_position_in_grid]]) {\n"
             "  if (int(i) >= a.n) return; if (items[i].flag) touch(items[i], a); item copy = items[i]; copy.id = -copy.id;\n"
             "  copy.flag = !copy.flag; items[i] = copy; }",
             &c);
    for (int i = 0; i < N; ++i) {
        const bool done = i < N - 3, odd = i % 2 != 0 && done;
        float v[3] = {1, 2, (float)i};
        if (odd) v[i % 3] *= 2.5f;
        assert_int_equal(items[i].id, done ? -i : i);
        assert_int_equal(items[i].flag, (i % 2 != 0) != done);
        for (int k = 0; k < 3; ++k) assert_true(items[i].v[k] == v[k]);
        assert_true(items[i].at[1] == (odd ? (float)i + 2.5f : 5.0f) && items[i].at[2] == 6);
    }
}

/* Thread arrays that need memory: indexed by thread, of bytes and vectors, through pointers to other types, in structs. */
static void test_thread_arrays(void **state)
{
    (void)state;
    enum { N = 50 };
    int32_t out[N], bytes[N];
    float vec[N], view[N];
    const emu_case c = {.groups = {5}, .threads = {10},
                        .buffers = {{out, sizeof out}, {bytes, sizeof bytes}, {vec, sizeof vec}, {view, sizeof view}}};
    emu_once("struct box { int a[5]; float4 v[3]; };\n"
             "static int sum(thread const int *p, int n) { int s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }\n"
             "kernel void k(device int *out, device int *bytes, device float *vec, device float *view,\n"
             "              uint i [[thread_position_in_grid]]) {\n"
             "  box b; for (int n = 0; n < 5; ++n) b.a[n] = n + int(i); for (int n = 0; n < 3; ++n) b.v[n] = float4(n, i, n + 10, 4);\n"
             "  b.a[i % 5] = 100; box d = b; d.a[(i + 1) % 5] -= 7; out[i] = sum(d.a, 2 + int(i % 4));\n"
             "  vec[i] = d.v[i % 3].y + d.v[(i + 2) % 3][i % 4];\n"
             "  uchar raw[16]; for (int n = 0; n < 16; ++n) raw[n] = uchar(n * 16 + i % 3); raw[i % 16] = 255;\n"
             "  bytes[i] = *(thread int *)(raw + 4 * (i % 4)); float f[4] = {1, 2, 3, 4};\n"
             "  *(thread float2 *)(f + 2 * (i % 2)) = float2(9, 8); view[i] = f[0] * 1000 + f[1] * 100 + f[2] * 10 + f[3]; }",
             &c);
    for (int i = 0; i < N; ++i) {
        int32_t a[5], s = 0;
        for (int n = 0; n < 5; ++n) a[n] = n + i;
        a[i % 5] = 100;
        a[(i + 1) % 5] -= 7;
        for (int n = 0; n < 2 + i % 4; ++n) s += a[n];
        assert_int_equal(out[i], s);
        const int v = (i + 2) % 3;
        const float of[4] = {(float)v, (float)i, (float)(v + 10), 4};
        assert_true(vec[i] == (float)i + of[i % 4]);
        uint8_t raw[16];
        for (int n = 0; n < 16; ++n) raw[n] = (uint8_t)(n * 16 + i % 3);
        raw[i % 16] = 255;
        int32_t word;
        memcpy(&word, raw + 4 * (i % 4), 4);
        assert_int_equal(bytes[i], word);
        assert_true(view[i] == (i % 2 == 0 ? 9834.0f : 1298.0f));
    }
}

/* Unions and as_type see the bits. */
static void test_bits(void **state)
{
    (void)state;
    uint32_t out[32], words[32];
    const emu_case c = {.threads = {32}, .buffers = {{out, sizeof out}, {words, sizeof words}}};
    emu_once("union mixed { float f; uint u; ushort h[2]; };\n"
             "kernel void k(device uint *out, device uint *words, uint i [[thread_position_in_grid]]) {\n"
             "  mixed m; m.f = float(i) + 0.5f; out[i] = m.u; mixed w; w.u = 0x12345678u + i; w.u ^= 1u;\n"
             "  words[i] = uint(as_type<ushort2>(w.u).y) << 16 | uint(as_type<short2>(w.u).x & 0xff); }",
             &c);
    for (uint32_t i = 0; i < 32; ++i) {
        const float f = (float)i + 0.5f;
        uint32_t u;
        memcpy(&u, &f, 4);
        assert_int_equal(out[i], u);
        const uint32_t w = (0x12345678u + i) ^ 1u;
        assert_int_equal(words[i], (w & 0xffff0000u) | (w & 0xffu));
    }
}

/* Program-scope constants, scalars and tables, read by known and unknown indices. */
static void test_constants(void **state)
{
    (void)state;
    float out[60];
    const emu_case c = {.threads = {60}, .buffers = {{out, sizeof out}}};
    emu_once("constant float table[4] = {1.5f, -2.0f, 3.25f, 8.0f};\nconstant int n = 3;\nconstant float2 pairs[2] = {float2(1, 2), float2(3, 4)};\n"
             "kernel void k(device float *out, uint i [[thread_position_in_grid]]) {\n"
             "  out[i] = table[i % 4] * float(n) + table[2] + pairs[i % 2].y; }",
             &c);
    const float table[4] = {1.5f, -2.0f, 3.25f, 8.0f};
    for (int i = 0; i < 60; ++i) assert_true(out[i] == table[i % 4] * 3 + 3.25f + (i % 2 == 0 ? 2.0f : 4.0f));
}

/* Memory that nobody wrote: threadgroup memory and variables have all bits set. */
static void test_poison(void **state)
{
    (void)state;
    uint32_t out[3 * 64];
    const emu_case c = {.groups = {3}, .threads = {64}, .buffers = {{out, sizeof out}}};
    emu_once("kernel void k(device uint *out, uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {\n"
             "  threadgroup uint m[64]; uint v; uint a[3]; uint seen = m[t]; m[t] = 5; out[i] = seen & v & a[t % 3]; }",
             &c);
    for (int i = 0; i < 3 * 64; ++i) assert_int_equal(out[i], UINT32_MAX);
}

/* Faults: the message names kernel, place, buffer, byte and thread; what lies outside stays untouched. */
static void test_bounds(void **state)
{
    (void)state;
    int32_t a[102], out[64];
    for (int i = 0; i < 102; ++i) a[i] = 7;
    const emu_case c = {.groups = {2}, .threads = {32}, .buffers = {{a, 100 * 4}, {out, sizeof out}}};
    static const char *const store = "kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]]) {\n"
                                     "  a[i * 2] = 1;\n}";
    emu_fails(store, &c, INGOT_DEVICE,
              "test.metal:4:3: out of bounds: write of 4 bytes at byte 400 of buffer 'a' [[buffer(0)]] of 400 bytes "
              "(element 100), reaching 4 bytes past its end; thread (18, 0, 0) "
              "of threadgroup (1, 0, 0)\n     4 |   a[i * 2] = 1;\n       |   ^");
    assert_int_equal(a[100], 7);
    assert_int_equal(a[101], 7);
    emu_fails("kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]]) { out[i] = a[int(i) - 1]; }", &c,
              INGOT_DEVICE, "read of 4 bytes at byte -4 of buffer 'a' [[buffer(0)]]");
    emu_fails("kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]]) { out[i] = a[100]; }", &c,
              INGOT_DEVICE, "element 100), reaching 4 bytes past its end; thread (0, 0, 0) of threadgroup (0, 0, 0)");
    emu_fails("kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]]) { out[i] = a[a[i] * 20]; }", &c,
              INGOT_DEVICE, "byte 560");
    emu_fails("kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]])\n"
              "{ int4 v = *(device int4 *)(a + i * 2); out[i] = v.x + v.w; }",
              &c, INGOT_DEVICE, "read of 16 bytes at byte 392 of buffer 'a'");
    emu_fails("kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]])\n"
              "{ threadgroup int m[32]; m[t + (t == 31 ? 1 : 0)] = 3; out[i] = m[t]; }",
              &c, INGOT_DEVICE, "byte 128 of threadgroup memory 'm' of 128 bytes");
    emu_fails("kernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]])\n"
              "{ int v[4] = {1, 2, 3, 4}; v[i % 5] = 9; out[i] = v[0]; }",
              &c, INGOT_DEVICE, "byte 16 of thread array 'v' of 16 bytes");
    emu_fails("constant int t[3] = {1, 2, 3};\nkernel void k(device int *a, device int *out, uint i [[thread_position_in_grid]])\n"
              "{ out[i] = t[i % 4]; }",
              &c, INGOT_DEVICE, "constant 't'");
    emu_fails("kernel void k(device int *a, device int *out, device int *more, uint i [[thread_position_in_grid]]) { out[i] = more[i]; }",
              &c, INGOT_DEVICE, "buffer 'more' [[buffer(2)]], where nothing is bound");
}

/* Guards that keep threads inside keep the run clean, although others would be outside. */
static void test_guarded(void **state)
{
    (void)state;
    float in[77], out[77];
    for (int i = 0; i < 77; ++i) in[i] = (float)i;
    const emu_case c = {.groups = {2}, .threads = {64}, .buffers = {{in, sizeof in}, {out, sizeof out}}};
    emu_once("kernel void k(device float *in, device float *out, uint i [[thread_position_in_grid]]) {\n"
             "  if (i < 77) { float left = i > 0 ? in[i - 1] : 0.0f; float right = i + 1 < 77 ? in[i + 1] : 0.0f;\n"
             "    out[i] = left + in[i] + right; } }",
             &c);
    for (int i = 0; i < 77; ++i)
        assert_true(out[i] == (i > 0 ? in[i - 1] : 0) + in[i] + (i < 76 ? in[i + 1] : 0));
}

/* Index arithmetic that wraps at 32 bits, and one that has more. */
static void test_index_width(void **state)
{
    (void)state;
    int32_t in[64], out[64], more[64];
    for (int i = 0; i < 64; ++i) in[i] = i * 3;
    const emu_case c = {.groups = {2}, .threads = {32}, .buffers = {{in, sizeof in}, {out, sizeof out}, {more, sizeof more}}};
    emu_once("kernel void k(device int *in, device int *out, device int *more, uint b [[threadgroup_position_in_grid]],\n"
             "              uint t [[thread_position_in_threadgroup]]) {\n"
             "  uint far = 4294967290u + b; uint at = far + (t + 6u); out[b * 32 + t] = in[at % 64u]; ulong big = ulong(b) * 32ul + ulong(t);\n"
             "  more[big] = in[63ul - big]; in += 10; out[b * 32 + t] += in[int(t) - 10]; }",
             &c);
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(out[i], (i / 32 + i % 32) * 3 + i % 32 * 3);
        assert_int_equal(more[i], (63 - i) * 3);
    }
}

/* What the launch has to bring. */
static void test_launch_errors(void **state)
{
    (void)state;
    int32_t a[4] = {0};
    const char *text = "struct args { int a, b; };\nkernel void k(device int *p, constant args &x) { p[0] = x.a; }";
    emu_case c = {.buffers = {{a, sizeof a}, {a, 4}}};
    emu_fails(text, &c, INGOT_VALUE, "argument 'x' [[buffer(1)]] needs 8 bytes, 4 are bound");
    c = (emu_case){.threads = {1025}, .buffers = {{a, sizeof a}, {a, 8}}};
    emu_fails(text, &c, INGOT_LIMIT, "1024");
    c = (emu_case){.threads = {32}, .buffers = {{a, sizeof a}}, .lengths = {40000}};
    emu_fails("kernel void k(device int *p, threadgroup int *m [[threadgroup(0)]]) { m[0] = 1; p[0] = m[0]; }", &c, INGOT_LIMIT,
              "threadgroup memory");
    emu_refused("kernel void k(device int *p) { p[0] = undeclared; }", "undeclared");
}

/* What the library says of its kernels. */
static void test_describe(void **state)
{
    (void)state;
    emu_library *l = emu_text("struct s { float4 a; int b; };\n"
                              "kernel void one(device const half *p [[buffer(3)]], constant s &x [[buffer(1)]], threadgroup float *m [[threadgroup(2)]],\n"
                              "  uint t [[thread_index_in_threadgroup]]) { threadgroup int q[10]; q[t] = int(p[0]); m[0] = x.a.x; }\n"
                              "[[max_total_threads_per_threadgroup(64)]] kernel void two(device float4 *v) { v[0] = 1; }");
    assert_int_equal(emu_library_kernel_count(l), 2);
    const emu_kernel_info *one = emu_kernel_describe(emu_library_kernel(l, 0));
    assert_string_equal(one->name, "one");
    assert_int_equal(one->arg_count, 3);
    assert_string_equal(one->args[0].name, "p");
    assert_int_equal(one->args[0].slot, 3);
    assert_true(one->args[0].is_const && !one->args[0].is_reference && one->args[0].kind == EMU_ARG_DEVICE);
    assert_string_equal(one->args[0].type, "half");
    assert_int_equal(one->args[0].elem_size, 2);
    assert_true(one->args[1].is_const && one->args[1].is_reference && one->args[1].kind == EMU_ARG_CONSTANT);
    assert_int_equal(one->args[1].elem_size, 32);
    assert_int_equal(one->args[2].slot, 2);
    assert_int_equal(one->args[2].kind, EMU_ARG_THREADGROUP);
    assert_int_equal(one->threadgroup_bytes, 40);
    assert_int_equal(one->max_threads, EMU_MAX_THREADS);
    const emu_kernel_info *two = emu_kernel_describe(emu_library_find(l, STR("two")));
    assert_int_equal(two->max_threads, 64);
    assert_false(two->args[0].is_const);
    assert_null(emu_library_find(l, STR("three")));
    emu_library_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pointers),      cmocka_unit_test(test_chosen_pointer), cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_structs),       cmocka_unit_test(test_thread_arrays),  cmocka_unit_test(test_bits),
        cmocka_unit_test(test_constants),     cmocka_unit_test(test_poison),         cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_guarded),       cmocka_unit_test(test_index_width),    cmocka_unit_test(test_launch_errors),
        cmocka_unit_test(test_describe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
