/* The software device: every integer operation on every type, over the edges of each, against wide arithmetic. */
#include "emu_help.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

typedef struct int_type {
    const char *name;
    unsigned size;
    bool is_signed;
} int_type;
static const int_type types[] = {{"char", 1, true},  {"uchar", 1, false}, {"short", 2, true}, {"ushort", 2, false},
                                 {"int", 4, true},   {"uint", 4, false},  {"long", 8, true},  {"ulong", 8, false}};
enum { TYPES = sizeof types / sizeof *types, EDGES = 12, PAIRS = EDGES * EDGES };

/* What a bit pattern means in a type. */
static wide value_of(const int_type *t, uint64_t bits)
{
    const unsigned n = t->size * 8;
    const wide one = 1, v = (wide)(n == 64 ? bits : bits & (((uint64_t)1 << n) - 1));
    return t->is_signed && v >= one << (n - 1) ? v - (one << n) : v;
}

static uint64_t edge(const int_type *t, unsigned k)
{
    const unsigned n = t->size * 8;
    const uint64_t top = (uint64_t)1 << (n - 1);
    const uint64_t e[EDGES] = {0, 1, 2, 3, 7, 100, top - 1, top, top + 1, UINT64_MAX, UINT64_MAX - 1, 0x5a5a5a5a5a5a5a5au};
    return e[k];
}

static void put(void *to, const int_type *t, size_t i, uint64_t bits)
{
    for (unsigned b = 0; b < t->size; ++b) ((uint8_t *)to)[i * t->size + b] = (uint8_t)(bits >> (8 * b));
}

static wide get(const void *from, const int_type *t, size_t i)
{
    uint64_t bits = 0;
    for (unsigned b = 0; b < t->size; ++b) bits |= (uint64_t)((const uint8_t *)from)[i * t->size + b] << (8 * b);
    return value_of(t, bits);
}

typedef wide (*reference)(const int_type *t, wide a, wide b);

/* The type that C computes in: int, or the type itself where that is no smaller. */
static int_type promoted(const int_type *t)
{
    return t->size < 4 ? (int_type){"int", 4, true} : *t;
}

static wide r_add(const int_type *t, wide a, wide b) { (void)t; return a + b; }
static wide r_sub(const int_type *t, wide a, wide b) { (void)t; return a - b; }
static wide r_mul(const int_type *t, wide a, wide b) { (void)t; return (wide)((uwide)a * (uwide)b); }
static wide r_div(const int_type *t, wide a, wide b) { (void)t; return b == 0 ? -1 : a / b; }
static wide r_rem(const int_type *t, wide a, wide b) { (void)t; return b == 0 ? a : a % b; }
static wide r_and(const int_type *t, wide a, wide b) { (void)t; return a & b; }
static wide r_or(const int_type *t, wide a, wide b) { (void)t; return a | b; }
static wide r_xor(const int_type *t, wide a, wide b) { (void)t; return a ^ b; }
static wide r_shl(const int_type *t, wide a, wide b)
{
    return (wide)((uwide)a << (b & (promoted(t).size * 8 - 1)));
}
static wide r_shr(const int_type *t, wide a, wide b) { return a >> (b & (promoted(t).size * 8 - 1)); }
static wide r_lt(const int_type *t, wide a, wide b) { (void)t; return a < b; }
static wide r_le(const int_type *t, wide a, wide b) { (void)t; return a <= b; }
static wide r_gt(const int_type *t, wide a, wide b) { (void)t; return a > b; }
static wide r_ge(const int_type *t, wide a, wide b) { (void)t; return a >= b; }
static wide r_eq(const int_type *t, wide a, wide b) { (void)t; return a == b; }
static wide r_ne(const int_type *t, wide a, wide b) { (void)t; return a != b; }
static wide r_min(const int_type *t, wide a, wide b) { (void)t; return a < b ? a : b; }
static wide r_max(const int_type *t, wide a, wide b) { (void)t; return a > b ? a : b; }
static wide r_mulhi(const int_type *t, wide a, wide b)
{
    if (t->is_signed || t->size < 8) return (a * b) >> (t->size * 8);
    return (wide)(((uwide)a * (uwide)b) >> 64);
}
static wide most(const int_type *t) { return ((wide)1 << (t->size * 8 - (t->is_signed ? 1 : 0))) - 1; }
static wide least(const int_type *t) { return t->is_signed ? -most(t) - 1 : 0; }
static wide held(const int_type *t, wide v) { return v > most(t) ? most(t) : v < least(t) ? least(t) : v; }
static wide r_addsat(const int_type *t, wide a, wide b) { return held(t, a + b); }
static wide r_subsat(const int_type *t, wide a, wide b) { return held(t, a - b); }
static wide product_sum(const int_type *t, wide a, wide b, wide c)
{
    if (t->is_signed) return held(t, a * b + c);
    const uwide v = (uwide)a * (uwide)b + (uwide)c;
    return v > (uwide)most(t) ? most(t) : (wide)v;
}
static wide r_madsat_first(const int_type *t, wide a, wide b) { return product_sum(t, a, b, a); }
static wide r_madsat_second(const int_type *t, wide a, wide b) { return product_sum(t, a, b, b); }
static wide r_hadd(const int_type *t, wide a, wide b) { (void)t; return (a + b) >> 1; }
static wide r_rhadd(const int_type *t, wide a, wide b) { (void)t; return (a + b + 1) >> 1; }
static wide r_absdiff(const int_type *t, wide a, wide b) { (void)t; return a > b ? a - b : b - a; }
static uint64_t plain(const int_type *t, wide a) { return (uint64_t)a & (UINT64_MAX >> (64 - t->size * 8)); }
static wide r_rotate(const int_type *t, wide a, wide b)
{
    const unsigned n = t->size * 8, k = (unsigned)((uint64_t)b & (n - 1));
    const uint64_t x = plain(t, a);
    return (wide)(k == 0 ? x : x << k | x >> (n - k));
}
static wide r_neg(const int_type *t, wide a, wide b) { (void)t; (void)b; return -a; }
static wide r_not(const int_type *t, wide a, wide b) { (void)t; (void)b; return ~a; }
static wide r_abs(const int_type *t, wide a, wide b) { (void)t; (void)b; return a < 0 ? -a : a; }
static wide r_popcount(const int_type *t, wide a, wide b)
{
    (void)b;
    wide n = 0;
    for (uint64_t x = plain(t, a); x != 0; x &= x - 1) ++n;
    return n;
}
static wide r_clz(const int_type *t, wide a, wide b)
{
    (void)b;
    wide n = 0;
    for (int k = (int)t->size * 8 - 1; k >= 0 && (plain(t, a) >> k & 1) == 0; --k) ++n;
    return n;
}
static wide r_ctz(const int_type *t, wide a, wide b)
{
    (void)b;
    wide n = 0;
    for (unsigned k = 0; k < t->size * 8 && (plain(t, a) >> k & 1) == 0; ++k) ++n;
    return n;
}
static wide r_reverse(const int_type *t, wide a, wide b)
{
    (void)b;
    uint64_t r = 0;
    for (unsigned k = 0; k < t->size * 8; ++k) r = r << 1 | (plain(t, a) >> k & 1);
    return (wide)r;
}

typedef struct operation {
    const char *text; /* of x and y, both of type T */
    reference expected;
} operation;
static const operation operations[] = {
    {"x + y", r_add},           {"x - y", r_sub},         {"x * y", r_mul},          {"x / y", r_div},
    {"x % y", r_rem},           {"x & y", r_and},         {"x | y", r_or},           {"x ^ y", r_xor},
    {"x << y", r_shl},          {"x >> y", r_shr},        {"x < y", r_lt},           {"x <= y", r_le},
    {"x > y", r_gt},            {"x >= y", r_ge},         {"x == y", r_eq},          {"x != y", r_ne},
    {"min(x, y)", r_min},       {"max(x, y)", r_max},     {"mulhi(x, y)", r_mulhi},  {"addsat(x, y)", r_addsat},
    {"subsat(x, y)", r_subsat}, {"hadd(x, y)", r_hadd},   {"rhadd(x, y)", r_rhadd},  {"absdiff(x, y)", r_absdiff},
    {"rotate(x, y)", r_rotate}, {"-x", r_neg},            {"~x", r_not},             {"abs(x)", r_abs},
    {"popcount(x)", r_popcount}, {"clz(x)", r_clz},       {"ctz(x)", r_ctz},         {"reverse_bits(x)", r_reverse},
    {"madsat(x, y, x)", r_madsat_first}, {"madsat(x, y, y)", r_madsat_second},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* All operations of a type in one text, a kernel each. */
static emu_library *scalar_operations(const int_type *t)
{
    buf text = buf_make(&mem_default);
    for (size_t i = 0; i < OPERATIONS; ++i)
        buf_printf(&text,
                   "kernel void k%zu(device const %s *a, device const %s *b, device %s *out, "
                   "uint g [[thread_position_in_grid]]) { %s x = a[g], y = b[g]; out[g] = (%s)(%s); }\n",
                   i, t->name, t->name, t->name, t->name, t->name, operations[i].text);
    buf_char(&text, 0);
    emu_library *l = emu_text(text.p);
    buf_free(&text);
    return l;
}

static void check(const int_type *t, const operation *o, const uint64_t *a, const uint64_t *b, const void *out, const char *isa)
{
    for (size_t i = 0; i < PAIRS; ++i) {
        const wide x = value_of(t, a[i]), y = value_of(t, b[i]);
        const wide want = value_of(t, (uint64_t)o->expected(t, x, y)), got = get(out, t, i);
        if (got != want)
            fail_msg("%s %s on %s: x %lld y %lld gives %lld, not %lld", t->name, o->text, isa, (long long)x, (long long)y,
                     (long long)got, (long long)want);
    }
}

static void test_operations(void **state)
{
    (void)state;
    for (size_t k = 0; k < TYPES; ++k) {
        const int_type *t = &types[k];
        uint64_t a[PAIRS], b[PAIRS];
        uint8_t pa[PAIRS * 8], pb[PAIRS * 8], out[PAIRS * 8];
        for (unsigned i = 0; i < PAIRS; ++i) {
            a[i] = edge(t, i / EDGES);
            b[i] = edge(t, i % EDGES);
            put(pa, t, i, a[i]);
            put(pb, t, i, b[i]);
        }
        emu_library *l = scalar_operations(t);
        const size_t bytes = (size_t)PAIRS * t->size;
        const emu_case c = {.groups = {PAIRS / 16}, .threads = {16}, .buffers = {{pa, bytes}, {pb, bytes}, {out, bytes}}};
        for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
            emu_isa_select(l, isa);
            for (size_t i = 0; i < OPERATIONS; ++i) {
                char name[16];
                (void)snprintf(name, sizeof name, "k%zu", i);
                memset(out, 0xaa, sizeof out);
                emu_must(l, name, &c);
                check(t, &operations[i], a, b, out, emu_isa_name(isa));
            }
        }
        emu_library_free(l);
    }
}

/* A uniform operand, on either side: read through a constant reference. */
static void test_uniform_operands(void **state)
{
    (void)state;
    enum { N = 100 };
    int32_t a[N], out[2 * N], c = -7;
    for (int i = 0; i < N; ++i) a[i] = i * 3 - 150;
    const emu_case run = {.groups = {N / 10}, .threads = {10}, .buffers = {{a, sizeof a}, {&c, 4}, {out, sizeof out}}};
    emu_once("kernel void k(device const int *a, constant int &c, device int *out, uint g [[thread_position_in_grid]])\n"
             "{ out[2 * g] = a[g] % c; out[2 * g + 1] = c - a[g]; }",
             &run);
    for (int i = 0; i < N; ++i) {
        assert_int_equal(out[2 * i], a[i] % -7);
        assert_int_equal(out[2 * i + 1], -7 - a[i]);
    }
}

/* Constants that divide by zero, or the least by -1, in one element of a vector: the device's own results, and those of the others as
 * they are. */
static void test_constant_divisions(void **state)
{
    (void)state;
    int32_t out[8];
    const emu_case c = {.buffers = {{out, sizeof out}}};
    emu_once("kernel void k(device int2 *out) { out[0] = int2(31, -255) % int2(0, 1); out[1] = int2(31, -255) / int2(0, 5);\n"
             "  out[2] = int2(INT_MIN, 7) / int2(-1, 2); out[3] = int2(uint2(9, 8) / uint2(0, 3)); }",
             &c);
    const int32_t want[8] = {31, 0, -1, -51, INT32_MIN, 3, -1, 2};
    for (int i = 0; i < 8; ++i) assert_int_equal(out[i], want[i]);
}

/* Every conversion between integers and bool, over the edges. */
static void test_conversions(void **state)
{
    (void)state;
    for (size_t from = 0; from < TYPES; ++from) {
        buf text = buf_make(&mem_default);
        for (size_t to = 0; to < TYPES; ++to)
            buf_printf(&text,
                       "kernel void k%zu(device const %s *a, device %s *out, device bool *b, uint g [[thread_position_in_grid]]) "
                       "{ out[g] = (%s)a[g]; b[g] = (bool)a[g]; }\n",
                       to, types[from].name, types[to].name, types[to].name);
        buf_char(&text, 0);
        emu_library *l = emu_text(text.p);
        buf_free(&text);
        uint8_t in[EDGES * 8], out[EDGES * 8], truth[EDGES];
        for (unsigned i = 0; i < EDGES; ++i) put(in, &types[from], i, edge(&types[from], i));
        const emu_case c = {.threads = {EDGES}, .buffers = {{in, sizeof in}, {out, sizeof out}, {truth, sizeof truth}}};
        for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
            emu_isa_select(l, isa);
            for (size_t to = 0; to < TYPES; ++to) {
                char name[16];
                (void)snprintf(name, sizeof name, "k%zu", to);
                emu_must(l, name, &c);
                for (unsigned i = 0; i < EDGES; ++i) {
                    const wide v = value_of(&types[from], edge(&types[from], i));
                    assert_true(get(out, &types[to], i) == value_of(&types[to], (uint64_t)v));
                    assert_int_equal(truth[i], v != 0);
                }
            }
        }
        emu_library_free(l);
    }
}

/* extract_bits and insert_bits on int and uint, all offsets and widths. */
static void test_bit_fields(void **state)
{
    (void)state;
    enum { N = 33 * 33 };
    static uint32_t ins[N], ext[N];
    static int32_t exts[N];
    const emu_case c = {.groups = {33}, .threads = {33},
                        .buffers = {{ins, sizeof ins}, {ext, sizeof ext}, {exts, sizeof exts}}};
    emu_once("kernel void k(device uint *ins, device uint *ext, device int *exts, uint b [[threadgroup_position_in_grid]],\n"
             "              uint t [[thread_position_in_threadgroup]])\n"
             "{ uint i = b * 33 + t; if (b + t > 32) return;\n"
             "  ins[i] = insert_bits(0xdeadbeefu, 0x12345678u, b, t); ext[i] = extract_bits(0xdeadbeefu, b, t);\n"
             "  exts[i] = extract_bits(int(0xdeadbeefu), b, t); }",
             &c);
    for (unsigned o = 0; o < 33; ++o) {
        for (unsigned n = 0; o + n <= 32; ++n) {
            const uint64_t mask = (((uint64_t)1 << n) - 1) << o;
            if (o == 32) continue; /* an offset of the width with no bits: not defined for shifts */
            const uint32_t want = (uint32_t)((0xdeadbeefu & ~mask) | ((0x12345678ull << o) & mask));
            assert_int_equal(ins[o * 33 + n], want);
            const uint64_t field = (0xdeadbeefull & mask) >> o;
            assert_int_equal(ext[o * 33 + n], (uint32_t)field);
            const int64_t extended = n != 0 && (field >> (n - 1) & 1) != 0 ? (int64_t)field - ((int64_t)1 << n) : (int64_t)field;
            assert_int_equal(exts[o * 33 + n], (int32_t)extended);
        }
    }
}

/* Floats in few bits: 0.5 * 255 = 127.5 and 0.5 * 127 = 63.5 go to the even neighbour, what is outside is held, the first component lies lowest. */
static void test_packing(void **state)
{
    (void)state;
    uint32_t out[12] = {0};
    float back[8] = {0};
    const emu_case c = {.buffers = {{out, sizeof out}, {back, sizeof back}}};
    emu_once("kernel void k(device uint *o, device float *f) { float4 v = float4(0.5f, -3, 7, 0.2f);\n"
             "  o[0] = pack_float_to_unorm4x8(v); o[1] = pack_float_to_snorm4x8(v); o[2] = pack_float_to_unorm2x16(v.xz); o[3] = pack_float_to_snorm2x16(v.yx); o[4] = pack_half_to_unorm4x8(half4(v));\n"
             "  float4 u = unpack_unorm4x8_to_float(0xff330080); f[0] = u.x; f[1] = u.y; f[2] = u.z; f[3] = u.w; float2 s = unpack_snorm2x16_to_float(0x80004000); f[4] = s.x; f[5] = s.y;\n"
             "  f[6] = float(unpack_snorm4x8_to_half(0x817f0000).w); f[7] = unpack_snorm4x8_to_float(0x80).x; }",
             &c);
    assert_int_equal(out[0], 0x33ff0080u);
    assert_int_equal(out[1], 0x197f8140u); /* 0.2 * 127 = 25.4 */
    assert_int_equal(out[2], 0xffff8000u);
    assert_int_equal(out[3], 0x40008001u);
    assert_int_equal(out[4], 0x33ff0080u);
    assert_true(back[0] == 128.0f / 255 && back[1] == 0 && back[2] == 0.2f && back[3] == 1);
    assert_true(back[4] == 16384.0f / 32767 && back[5] == -1 && back[6] == -1 && back[7] == -1);
}

/* Halves, sRGB's curve and 10, 10, 10 and 2 bits. sRGB of 0.5 is 0.7354 (188 of 255), of 0.002 it is 12.92 * 0.002 (6.6 of 255). */
static void test_more_packing(void **state)
{
    (void)state;
    uint32_t out[12] = {0};
    float back[12] = {0};
    const emu_case c = {.buffers = {{out, sizeof out}, {back, sizeof back}}};
    emu_once("kernel void k(device uint *o, device float *f) { o[0] = pack_half_to_unorm2x16(half2(1, 0.5h)); o[1] = pack_half_to_snorm2x16(half2(-1, 1));\n"
             "  o[2] = pack_float_to_srgb_unorm4x8(float4(0.5f, 0.002f, 2, 0.2f)); o[3] = pack_half_to_srgb_unorm4x8(half4(0, 1, -1, 1)); o[4] = pack_float_to_unorm10a2(float4(1, 0, 1, 1));\n"
             "  o[5] = pack_half_to_unorm10a2(half4(0, 1, 0, 0.4h)); half2 h = unpack_unorm2x16_to_half(0x0000ffff); f[0] = h.x; f[1] = h.y; h = unpack_snorm2x16_to_half(0x7fff8000); f[2] = h.x; f[3] = h.y;\n"
             "  float4 s = unpack_unorm4x8_srgb_to_float(0x33ff0000 | 188); f[4] = round(s.x * 1000); f[5] = s.y; f[6] = s.z; f[7] = s.w;\n"
             "  float4 u = unpack_unorm10a2_to_float(0x40000000 | 1023 << 10 | 1); f[8] = u.x; f[9] = u.y; f[10] = u.z; f[11] = u.w;\n"
             "  for (uint i = 0; i < 256; ++i) if (pack_float_to_srgb_unorm4x8(unpack_unorm4x8_srgb_to_float(i * 0x01010101)) != i * 0x01010101) o[6]++; }",
             &c);
    const uint32_t want[7] = {0x8000ffffu, 0x7fff8001u, 0x33ff07bcu, 0xff00ff00u, 0xfff003ffu, 0x400ffc00u, 0};
    for (int i = 0; i < 7; ++i) assert_int_equal(out[i], want[i]);
    const float numbers[12] = {1, 0, -1, 1, 503, 0, 1, 0.2f, 1.0f / 1023, 1, 0, 341.0f / 1023};
    for (int i = 0; i < 12; ++i) assert_true(back[i] == numbers[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_uniform_operands),
        cmocka_unit_test(test_constant_divisions),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_bit_fields),
        cmocka_unit_test(test_packing),
        cmocka_unit_test(test_more_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
