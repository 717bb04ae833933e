/* The ground: small floats, numbers as text, SHA-256, maps, arenas under failing memory,
 * diagnostics. */
#include "base/diag.h"
#include "base/map.h"
#include "base/num.h"
#include "base/sha256.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* ---- Small floats ------------------------------------------------------------------------------
 */

/* A pattern's value by the definition of the format: sign, exponent field, mantissa field. */
static double by_definition(uint32_t bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
    int exponent = (int)(bits >> mantissa_bits) & top;
    double mantissa = (double)(bits & ((1u << mantissa_bits) - 1)) / (double)(1u << mantissa_bits);
    double sign = (bits >> (exponent_bits + mantissa_bits)) & 1 ? -1.0 : 1.0;
    if (exponent == top) return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
    double scale = exp2((exponent == 0 ? 1 : exponent) - bias);
    return sign * scale * (mantissa + (exponent == 0 ? 0.0 : 1.0));
}

static void all_patterns(const num_format *f, int exponent_bits, int mantissa_bits)
{
    uint32_t count = 1u << (1 + exponent_bits + mantissa_bits);
    for (uint32_t bits = 0; bits < count; ++bits) {
        double value = num_decode(f, bits),
               expected = by_definition(bits, exponent_bits, mantissa_bits);
        if (isnan(expected)) {
            assert_true(isnan(value));
            assert_true(isnan(num_decode(f, num_encode(f, value))));
            continue;
        }
        assert_true(num_double_bits(value) == num_double_bits(expected));
        assert_int_equal(num_encode(f, value), bits);
    }
}

static void test_every_pattern_goes_round(void **state)
{
    (void)state;
    all_patterns(&num_half, 5, 10);
    all_patterns(&num_bfloat, 8, 7);
    all_patterns(&num_e5m2, 5, 2);
    all_patterns(&num_e3m4, 3, 4);
    all_patterns(&num_e4m3, 4, 3);
}

/* Halfway between each two neighbours the even one is taken; a hair further decides. */
static void ties_of(const num_format *f, uint32_t largest)
{
    for (uint32_t bits = 0; bits < largest; ++bits) {
        double low = num_decode(f, bits), high = num_decode(f, bits + 1), middle = (low + high) / 2;
        assert_int_equal(num_encode(f, middle), bits % 2 == 0 ? bits : bits + 1);
        assert_int_equal(num_encode(f, nextafter(middle, high)), bits + 1);
        assert_int_equal(num_encode(f, nextafter(middle, low)), bits);
    }
}

static void test_ties_go_to_even(void **state)
{
    (void)state;
    ties_of(&num_half, 0x7bff);
    ties_of(&num_bfloat, 0x7f7f);
    ties_of(&num_e5m2, 0x7b);
    ties_of(&num_e4m3fn, 0x7e);
    /* By hand: 2049 lies between 2048 and 2050, 2051 between 2050 and 2052. */
    assert_true(num_round(&num_half, 2049.0) == 2048.0);
    assert_true(num_round(&num_half, 2051.0) == 2052.0);
    assert_int_equal(num_encode(&num_half, 65519.9), 0x7bff);
    assert_int_equal(num_encode(&num_half, 65520.0), 0x7c00);
    assert_int_equal(num_encode(&num_half, ldexp(1.0, -25)), 0);
    assert_int_equal(num_encode(&num_half, ldexp(1.5, -25)), 1);
    assert_int_equal(num_encode(&num_half, -0.0), 0x8000);
}

/* Powers of two from 2^-127 on; the last code is NaN. Ties, at 1.5 times a power, go to the even code. */
static void test_scales(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 255; ++code) {
        double value = ldexp(1.0, (int)code - 127);
        assert_true(num_decode(&num_e8m0fnu, code) == value);
        assert_int_equal(num_encode(&num_e8m0fnu, value), code);
        if (code == 254) continue;
        assert_int_equal(num_encode(&num_e8m0fnu, value * 1.49), code == 0 ? 0 : code);
        assert_int_equal(num_encode(&num_e8m0fnu, value * 1.51), code + 1);
        assert_int_equal(num_encode(&num_e8m0fnu, value * 1.5), code + code % 2);
    }
    assert_true(isnan(num_decode(&num_e8m0fnu, 255)));
    static const double none[] = {-1.0, -1e-300, 1e39};
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) assert_int_equal(num_encode(&num_e8m0fnu, none[i]), 255);
    assert_int_equal(num_encode(&num_e8m0fnu, 0.0), 0);
    assert_int_equal(num_encode(&num_e8m0fnu, 1e-300), 0);
}

static void test_float8_ends(void **state)
{
    (void)state;
    assert_true(num_decode(&num_e4m3fn, 0x7e) == 448.0);
    assert_true(isnan(num_decode(&num_e4m3fn, 0x7f)));
    assert_int_equal(num_encode(&num_e4m3fn, 1e9), 0x7f); /* no infinity there: NaN */
    assert_true(num_decode(&num_e4m3fnuz, 0x7f) == 240.0);
    assert_int_equal(num_encode(&num_e4m3fnuz, (double)NAN), 0x80);
    assert_int_equal(num_encode(&num_e4m3fnuz, -0.0), 0);
    assert_true(num_decode(&num_e5m2fnuz, 0x7f) == 57344.0);
    assert_true(num_decode(&num_e4m3b11fnuz, 0x7f) == 30.0);
    assert_true(num_decode(&num_e2m1fn, 0x7) == 6.0);
    assert_int_equal(num_encode(&num_e2m1fn, 100.0), 0x7);
    assert_true(num_decode(&num_e5m2, 0x7b) == 57344.0);
    assert_true(isinf(num_decode(&num_e5m2, 0x7c)));
}

/* ---- Numbers as text ---------------------------------------------------------------------------
 */

static void prints(double v, bool single, const char *text)
{
    char out[NUM_TEXT];
    size_t n = single ? num_print_float((float)v, out) : num_print_double(v, out);
    out[n] = '\0';
    assert_string_equal(out, text);
}

static void test_shortest_text(void **state)
{
    (void)state;
    prints(1.0, true, "1.0");
    prints(0.1, true, "0.1");
    prints(0.1, false, "0.1");
    prints((double)0.1f, false, "0.10000000149011612");
    prints(16777217.0, false, "16777217.0");
    prints(3.4028234663852886e38, true, "3.4028235e+38");
    prints(-0.0, true, "-0.0");
    prints((double)INFINITY, true, "inf");
    prints(-(double)INFINITY, true, "-inf");
    prints((double)NAN, false, "nan");
    double v;
    assert_true(num_parse_double(STR("0x1.8p1"), &v) && v == 3.0);
    assert_true(num_parse_double(STR("1e-3"), &v) && v == 0.001);
    assert_false(num_parse_double(STR("1e"), &v));
    assert_false(num_parse_double(STR("inf"), &v));
    assert_false(num_parse_double(STR(""), &v));
}

/* ---- SHA-256: the vectors of FIPS 180-4's examples ---------------------------------------------
 */

static void hashes_to(const void *bytes, size_t n, const char *hex)
{
    unsigned char out[32];
    char text[65];
    sha256_of(bytes, n, out);
    for (int i = 0; i < 32; ++i) snprintf(text + 2 * i, 3, "%02x", out[i]);
    assert_string_equal(text, hex);
}

static void test_sha256(void **state)
{
    (void)state;
    hashes_to("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hashes_to("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    hashes_to("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    hashes_to(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

/* Added in pieces of every size it is the same hash. */
static void test_sha256_in_pieces(void **state)
{
    (void)state;
    unsigned char bytes[200], whole[32], parts[32];
    for (unsigned i = 0; i < sizeof bytes; ++i) bytes[i] = (unsigned char)(i * 7);
    sha256_of(bytes, sizeof bytes, whole);
    for (size_t step = 1; step <= sizeof bytes; ++step) {
        sha256 h;
        sha256_init(&h);
        for (size_t at = 0; at < sizeof bytes; at += step) {
            sha256_add(&h, bytes + at, at + step <= sizeof bytes ? step : sizeof bytes - at);
        }
        sha256_finish(&h, parts);
        assert_memory_equal(whole, parts, 32);
    }
}

/* ---- Maps --------------------------------------------------------------------------------------
 */

enum { KEYS = 1000 };

static void map_body(void *user)
{
    arena *mem = user;
    static const int values[KEYS] = {0};
    map by_text = {0}, by_id = {0};
    assert_null(map_get(&by_text, STR("x")));
    for (int i = 0; i < KEYS; ++i) {
        map_put(mem, &by_text, str_format(mem, "key%d", i), &values[i]);
        map_put_id(mem, &by_id, &values[i], &values[KEYS - 1 - i]);
    }
    for (int i = 0; i < KEYS; ++i) {
        assert_ptr_equal(map_get(&by_text, str_format(mem, "key%d", i)), &values[i]);
        assert_ptr_equal(map_get_id(&by_id, &values[i]), &values[KEYS - 1 - i]);
        assert_true(str_eq(by_text.entries[i].key,
                           str_format(mem, "key%d", i))); /* in order of insertion */
    }
    assert_null(map_get(&by_text, STR("key")));
    assert_null(map_get_id(&by_id, mem));
    map_put(mem, &by_text, STR("key7"), &values[0]);
    assert_ptr_equal(map_get(&by_text, STR("key7")), &values[0]);
    assert_int_equal(by_text.n, KEYS);
    map_put(mem, &by_text, STR("key7"), NULL);
    assert_null(map_get(&by_text, STR("key7")));
    assert_ptr_equal(map_get(&by_text, STR("key8")), &values[8]);
    map_put(mem, &by_text, STR("key7"), &values[1]);
    assert_ptr_equal(map_get(&by_text, STR("key7")), &values[1]);
}

static void test_maps(void **state)
{
    (void)state;
    arena mem;
    arena_init(&mem, NULL);
    assert_true(arena_guard(&mem, map_body, &mem));
    arena_free(&mem);
}

/* ---- Arenas, with each allocation failing in turn
 * ------------------------------------------------ */

typedef struct failing {
    size_t left; /* allocations until one fails */
    size_t held; /* bytes given out */
} failing;

static void *failing_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing *f = user;
    if (new_size == 0) {
        f->held -= old_size;
        free(ptr);
        return NULL;
    }
    if (f->left == 0) return NULL;
    --f->left;
    void *p = realloc(ptr, new_size);
    if (p != NULL) f->held += new_size - old_size;
    return p;
}

static void arena_body(void *user)
{
    arena *mem = user;
    map m = {0};
    for (int i = 0; i < 200; ++i) {
        char *p = arena_alloc(mem, 1000);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        memset(p, i, 1000);
        map_put(mem, &m, str_format(mem, "%d", i), p);
    }
    arena_mark mark = arena_save(mem);
    for (int i = 0; i < 100; ++i) memset(arena_alloc(mem, 50000), 1, 50000);
    arena_restore(mem, mark);
    for (int i = 0; i < 200; ++i) {
        const char *p = map_get(&m, str_format(mem, "%d", i));
        assert_int_equal((unsigned char)p[999], i);
    }
}

static void test_arena_out_of_memory(void **state)
{
    (void)state;
    size_t failures = 0;
    for (size_t n = 0;; ++n) {
        failing f = {.left = n};
        ingot_allocator hook = {failing_resize, &f};
        arena mem;
        arena_init(&mem, &hook);
        bool done = arena_guard(&mem, arena_body, &mem);
        arena_free(&mem);
        assert_int_equal(f.held, 0);
        if (done) break;
        ++failures;
    }
    assert_true(failures >= 5);
}

/* In place while it is the newest memory and its block has room, else a copy; the bytes stay either way. */
static void grow_memory(void *user)
{
    arena *a = user;
    char *p = arena_grow(a, NULL, 0, 4, 1);
    memcpy(p, "abcd", 4);
    char *q = arena_grow(a, p, 4, 100, 1);
    assert_ptr_equal(q, p);
    char *other = arena_alloc(a, 16);
    assert_true(other >= q + 100);
    char *r = arena_grow(a, q, 100, 200, 1);
    assert_ptr_not_equal(r, q);
    assert_memory_equal(r, "abcd", 4);
    char *big = arena_grow(a, r, 200, 1 << 22, 1);
    assert_memory_equal(big, "abcd", 4);
    memset(big, 'x', 1 << 22);
}

static void test_arena_grow(void **state)
{
    (void)state;
    arena a;
    arena_init(&a, NULL);
    assert_true(arena_guard(&a, grow_memory, &a));
    arena_free(&a);
}

/* A scratch arena is used three times over, the third time beyond what there is; never NULL, so it ends at the guard. */
static void scratch_body(void *user)
{
    arena *outer = user, *scratch = arena_scratch(outer);
    char *kept = arena_copy(outer, "kept", 5);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 100; ++k) memset(arena_alloc(scratch, 5000), i, 5000);
        size_t held = scratch->total;
        arena_reset(scratch);
        assert_true(scratch->total > 0 && scratch->total < held);
    }
    arena *inner = arena_scratch(scratch);
    memset(arena_alloc(inner, 1000), 1, 1000);
    arena_reset(scratch); /* with what lies in it */
    assert_null(scratch->inner);
    size_t held = scratch->total;
    char *again = arena_alloc(scratch, 100);
    assert_int_equal((uintptr_t)again % _Alignof(max_align_t), 0);
    assert_int_equal(scratch->total, held); /* from the block that was kept */
    assert_string_equal(kept, "kept");
    arena_free(scratch);
    assert_int_equal(scratch->total, 0);
    memset(arena_alloc(scratch, 1000), 1, 1000);
    arena_zeroed(scratch, SIZE_MAX / 4, 8);
}

static void test_arena_scratch(void **state)
{
    (void)state;
    failing f = {.left = SIZE_MAX};
    ingot_allocator hook = {failing_resize, &f};
    arena mem;
    arena_init(&mem, &hook);
    assert_false(arena_guard(&mem, scratch_body, &mem));
    arena_free(&mem);
    assert_int_equal(f.held, 0);
}

static void overflow_body(void *user)
{
    arena_zeroed(user, SIZE_MAX / 4, 8);
}

static void huge_body(void *user)
{
    arena_alloc(user, SIZE_MAX - 3);
}

static void test_arena_sizes_that_overflow(void **state)
{
    (void)state;
    arena mem;
    arena_init(&mem, NULL);
    assert_false(arena_guard(&mem, overflow_body, &mem));
    assert_false(arena_guard(&mem, huge_body, &mem));
    arena_free(&mem);
}

/* ---- Diagnostics
 * --------------------------------------------------------------------------------- */

typedef struct report {
    arena *mem;
    source_set sources;
    diag_list diags;
} report;

static const char *rendered(report *r, bool colour)
{
    ingot_allocator hook = arena_hook(r->mem);
    buf out = buf_make(&hook);
    diag_render_all(&r->diags, colour, &out);
    buf_char(&out, '\0');
    return out.p;
}

static void diag_body(void *user)
{
    report r = {.mem = user};
    r.diags = (diag_list){.mem = r.mem, .sources = &r.sources};
    /* A tab before the fault; then two-byte letters before and under it. */
    uint32_t f = source_add(r.mem, &r.sources, STR("a.py"),
                            STR("x = 1\n\ty = bad + 2\r\n\xc3\xa4 = \xc3\xb6\xc3\xbc!\n"));
    diag_error(&r.diags, (span){f, 11, 14}, "unknown name '%s'", "bad");
    diag_note(&r.diags, (span){f, 0, 1}, "seen here");
    diag_warning(&r.diags, (span){f, 25, 29}, "odd");
    diag_error(&r.diags, (span){0}, "nowhere");
    diag_error(&r.diags, (span){f, 31, 31}, "end");
    ingot_error error;
    assert_int_equal(diag_first_error(&r.diags, "reading", &error), INGOT_SYNTAX);
    assert_string_equal(error.message, "a.py:2:6: unknown name 'bad'");
    assert_true(error.line == 2 && error.column == 6);
    diag_list other = {.mem = r.mem, .sources = &r.sources};
    assert_int_equal(diag_first_error(&other, "reading", &error), INGOT_INTERNAL);
    diag_warning(&other, (span){f, 0, 1}, "x is not supported, one might think");
    diag_unsupported(&other, (span){f, 11, 14}, "there is no '%s' here", "bad");
    assert_int_equal(diag_first_error(&other, "reading", &error), INGOT_UNSUPPORTED);
    assert_string_equal(error.message, "a.py:2:6: there is no 'bad' here");
    assert_string_equal(rendered(&r, false), "a.py:2:6: error: unknown name 'bad'\n"
                                             "    2 | \ty = bad + 2\n"
                                             "      | \t    ^~~\n"
                                             "a.py:1:1: note: seen here\n"
                                             "    1 | x = 1\n"
                                             "      | ^\n"
                                             "a.py:3:5: warning: odd\n"
                                             "    3 | \xc3\xa4 = \xc3\xb6\xc3\xbc!\n"
                                             "      |     ^~\n"
                                             "error: nowhere\n"
                                             "a.py:4:1: error: end\n"
                                             "    4 | \n"
                                             "      | ^\n");
    assert_int_equal(r.diags.errors, 3);
    assert_int_equal(r.diags.warnings, 1);
    assert_non_null(strstr(rendered(&r, true), "\033[1;31merror: "));
}

static void many_body(void *user)
{
    report r = {.mem = user};
    r.diags = (diag_list){.mem = r.mem, .sources = &r.sources};
    for (int i = 0; i < DIAG_LIMIT + 5; ++i) {
        diag_error(&r.diags, (span){0}, "number %d", i);
        diag_note(&r.diags, (span){0}, "why");
    }
    const char *text = rendered(&r, false);
    assert_non_null(strstr(text, "error: number 19\nnote: why\n5 more errors not shown\n"));
    assert_null(strstr(text, "number 20"));
}

static void test_diagnostics(void **state)
{
    (void)state;
    arena mem;
    arena_init(&mem, NULL);
    assert_true(arena_guard(&mem, diag_body, &mem));
    assert_true(arena_guard(&mem, many_body, &mem));
    arena_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_grow), cmocka_unit_test(test_arena_scratch),
        cmocka_unit_test(test_every_pattern_goes_round),
        cmocka_unit_test(test_ties_go_to_even),
        cmocka_unit_test(test_float8_ends), cmocka_unit_test(test_scales),
        cmocka_unit_test(test_shortest_text),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_sha256_in_pieces),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_arena_out_of_memory),
        cmocka_unit_test(test_arena_sizes_that_overflow),
        cmocka_unit_test(test_diagnostics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
