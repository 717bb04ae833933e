/* The preprocessor: what macros expand to, which groups are read, what is refused. Values are
 * asserted in the text. */
#include "mslfront_help.h"

#define IS(code, value) code "\nstatic_assert(X == " value ", \"\");\n"

static void macros(void **state)
{
    (void)state;
    msl_good(IS("#define X 3",
                "3") "#undef X\n" IS("#define SQ(a) ((a) * (a))\n#define X SQ(1 + 2)", "9"));
    msl_good(IS("#define CAT(a, b) a##b\n#define X CAT(1, 2)", "12"));
    msl_good(IS("#define CAT2(a, b) a##b\n#define CAT(a, b) CAT2(a, b)\n#define ONE 1\n#define X "
                "CAT(ONE, 5)",
                "15"));
    msl_good(IS("#define F(x, ...) (x __VA_ARGS__)\n#define X F(1, + 2)", "3"));
    msl_good(IS(
        "#define SUM(f, ...) f(__VA_ARGS__)\n#define ADD(a, b) (a + b)\n#define X SUM(ADD, 4, 5)",
        "9"));
    msl_good(IS("#define f(x) (x + f2)\n#define f2 1\n#define X f(f(2))", "4"));
    msl_good("constant int foo = 7;\n#define foo foo + 0\nstatic_assert(foo == 7, \"a macro names "
             "itself\");\n"
             "#define a b\n#define b a\nconstant int a = 1; static_assert(a == 1, \"\");\n");
    msl_good(IS("#define g(x) x * 2\n#define X g\n#undef X\n#define X g (4)", "8"));
    msl_good(IS("#define EMPTY\n#define X EMPTY 5 EMPTY", "5"));
    msl_good(IS("#define LONG 1 + \\\n  2 + \\\n  3\n#define X (LONG)", "6"));
    msl_good("#define STR(x) #x\nstatic_assert(true, STR(a \"b\\n\"  c));\n");
    msl_good("static_assert(__LINE__ == 1, \"\");\nstatic_assert(__LINE__ == 2 && __COUNTER__ == 0 "
             "&& __COUNTER__ == 1, \"\");");
    msl_good("#line 40 \"other\"\nstatic_assert(__LINE__ == 40 && sizeof(__FILE__) == 6, \"\");\n\n"
             "static_assert(__LINE__ == 42, \"\");\n#define N 7\n#line N\n"
             "static_assert(__LINE__ == 7 && sizeof(__FILE__) == 6, \"\");\n# 3 \"a\" 1\nstatic_assert(__LINE__ == 3, \"\");");
    msl_good("#define SHR(a) a >> 1\nstatic_assert(SHR(8) == 4, \"\");\n");
    msl_good("#define V(fmt, ...) f(fmt, ## __VA_ARGS__)\nint f(int a, int b = 2) { return a; "
             "}\nvoid g() { V(1); V(1, 2); }\n");
}

static void conditions(void **state)
{
    (void)state;
    msl_good("#if 1 + 2 * 3 == 7 && defined(__METAL_VERSION__) && !defined X\n#define X "
             "1\n#else\n#error no\n#endif\n"
             "#if X > 1\n#error no\n#elif X == 1\n#ifdef Y\n#error no\n#endif\n#define "
             "Z\n#else\n#error no\n#endif\n"
             "#ifndef Z\n#error no\n#endif\n");
    msl_good("#if 0\nit's \"anything goes\n#if 1\n#error no\n#endif\n#elif 0x10 >> 2 == "
             "4\n#else\n#error no\n#endif\n");
    msl_good("#if -1 < 0u\n#error unsigned wins\n#endif\n#if 0 && 1 / 0\n#endif\n#if 1 ? 2 : 1 / "
             "0\n#else\n#error no\n#endif\n");
    msl_good("#if __has_include(<metal_stdlib>) && !__has_include(\"mine.h\")\n#else\n#error "
             "no\n#endif\n"
             "#include <metal_stdlib>\n#include <metal_simdgroup>\n#import <metal_atomic>\n");
    msl_bad("#if 1\n", "1:2: error: no #endif closes this condition");
    msl_bad("#endif\n", "1:2: error: #endif without #if");
    msl_bad("#if 1 / 0\n#endif\n", "1:7: error: division by zero in the condition");
    msl_bad("#if 1 +\n#endif\n", "1:2: error: an operand is missing in the condition");
    msl_bad("#if 1\n#else\n#else\n#endif\n", "3:2: error: #else after #else");
    msl_bad("  #error stop here\n", "1:10: error: #error stop here");
}

static void versions_and_defines(void **state)
{
    (void)state;
    const mf_define d[] = {{STR("N"), STR("4 * 2")}};
    msl_case c = {.options = {.version = 230, .defines = d, .define_count = 1}};
    msl_read(&c, "static_assert(__METAL_VERSION__ == 230 && N == 8, \"\");");
    assert_non_null(c.unit);
    msl_done(&c);
}

static void refusals(void **state)
{
    (void)state;
    msl_bad("#include \"mine.h\"\n",
            "1:10: error: cannot include 'mine.h': only Metal's own headers are there");
    msl_bad("#define F(a) a\nint x = F(1, 2);\n", "2:9: error: macro 'F' takes 1 argument, not 2");
    msl_bad("#define F(a) a\nint x = F(1;\n", "2:9: error: the call of macro 'F' is not closed");
    msl_bad("#define F(a b) a\n",
            "1:13: error: expected a parameter name, ',' or ')' in the parameters of macro 'F'");
    msl_bad("#define C a##.\nint C;\n", "2:5: error: pasting 'a' and '.' does not give a token");
    msl_bad("\n#line no\n", "2:7: error: #line needs the number of the next line, and may have the name of a file in quotes");
    msl_bad("#line 2 no\n", "1:7: error: #line needs the number of the next line, and may have the name of a file in quotes");
    msl_bad("#line 99\nint f( { }\n", "2:8: error: expected a type");
    msl_bad("#foo\n", "1:1: error: unknown directive '#foo'");
    msl_bad("/* open", "1:1: error: comment is not closed");
    msl_bad("constant int fo\\\no = 1;",
            "1:16: error: a line splice inside a word is not supported");
    msl_bad("constant int a = 1 @ 2;", "1:20: error: expected ';' after the declaration");
}

/* 2^40 tokens would come of this; the limit stops it soon. */
static void explosion(void **state)
{
    (void)state;
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < 40; ++i) {
        n += (size_t)snprintf(text + n, sizeof text - n, "#define M%d M%d M%d\n", i, i + 1, i + 1);
    }
    snprintf(text + n, sizeof text - n, "M0\n");
    msl_bad(text, "41:1: error: macros expand to more than 1000000 tokens");
}

static void pragmas(void **state)
{
    (void)state;
    msl_statement("#pragma unroll\nfor (;;) break;", "unroll -1\nfor\n    break");
    msl_statement("#define N 8\n#pragma unroll(N)\nfor (;;) break;", "unroll 8\nfor\n    break");
    msl_statement("#pragma clang loop unroll(full)\nfor (;;) break;", "unroll -1\nfor\n    break");
    msl_statement("#pragma nounroll\nfor (;;) break;", "unroll 1\nfor\n    break");
    msl_statement("_Pragma(\"unroll\") for (;;) break;", "unroll -1\nfor\n    break");
    msl_case c = {0};
    msl_read(&c, "#pragma once\n#pragma METAL fp math_mode(safe)\n#pragma clang diagnostic ignored "
                 "\"-Wx\"\n#pragma odd\n");
    assert_non_null(c.unit);
    assert_int_equal(c.diags.warnings, 1);
    assert_true(
        str_starts(c.complaints, STR("t.metal:4:9: warning: unknown #pragma 'odd' is ignored")));
    msl_done(&c);
}

/* Headers "a.h", which includes "b.h", which says "#pragma once"; "loop.h" includes itself. */
static bool find_header(void *user, str name, str from, bool angled, str *path, str *text)
{
    (void)user, (void)angled;
    *path = name;
    if (str_is(name, "dir/../b.h") || str_is(name, "./b.h")) *text = STR("#pragma once\nint b() { return 3; }\n#define FROM_B 4");
    else if (str_is(name, "a.h")) *text = STR("#include \"b.h\"\n#include \"b.h\"\nint a() { return b(); }");
    else if (str_is(name, "b.h")) *text = STR("#pragma once\nint b() { return 3; }\n#define FROM_B 4");
    else if (str_is(name, "loop.h")) *text = STR("#include \"loop.h\"\n");
    else if (str_is(name, "bad.h")) *text = STR("\nint wrong() { return nothing; }\n");
    else return false;
    return from.n != 0;
}

static void headers(void **state)
{
    (void)state;
    msl_case c = {.options = {.include = find_header}};
    msl_read(&c, "#include \"a.h\"\n#include <b.h>\nint f() { return a() + FROM_B; }\n");
    if (c.unit == NULL) fail_msg("%s", c.complaints.p);
    assert_non_null(strstr(c.dump.p, "return (a() + 4)"));
    msl_done(&c);
    msl_read(&c, "#include \"a.h\"\n#include \"dir/../b.h\"\n#include \"./b.h\"\nint f() { return a() + FROM_B; }\n"); /* one file */
    if (c.unit == NULL) fail_msg("%s", c.complaints.p);
    msl_done(&c);
    msl_read(&c, "#include \"bad.h\"\n");
    assert_true(str_starts(c.complaints, STR("bad.h:2:22: error: 'nothing' is not declared")));
    msl_done(&c);
    msl_read(&c, "#include \"none.h\"\n");
    assert_true(str_starts(c.complaints, STR("t.metal:1:10: error: cannot include 'none.h': it is not found")));
    msl_done(&c);
    msl_read(&c, "#include \"loop.h\"\n");
    assert_true(str_starts(c.complaints, STR("loop.h:1:10: error: files include each other more than 64 deep")));
    msl_done(&c);
}

/* What came later than the version asked for is refused, by that version, and its macros are not there; the version itself has it. */
static void features_by_version(void **state)
{
    (void)state;
    static const struct {
        uint32_t since;
        const char *code, *complaint;
    } rows[] = {
        {310, "kernel void k(device bfloat4 *a) {}", "t.metal:2:22: error: 'bfloat4' needs MSL 3.1, and the text is read as MSL 3.0"},
        {310, "kernel void k(device half *a) { vec<bfloat, 2> b; }", "t.metal:2:37: error: 'bfloat' needs MSL 3.1, and the text is read as MSL 3.0"},
        {300, "kernel void k(device atomic_float *a) {}", "t.metal:2:22: error: 'atomic_float' needs MSL 3.0, and the text is read as MSL 2.9"},
        {300, "kernel void k(device atomic<float> *a) {}", "t.metal:2:22: error: 'atomic_float' needs MSL 3.0, and the text is read as MSL 2.9"},
        {230, "kernel void k() { simdgroup_float8x8 m; }", "t.metal:2:19: error: 'simdgroup_float8x8' needs MSL 2.3, and the text is read as MSL 2.2"},
        {210, "kernel void k(device int *a) { *a = simd_sum(*a); }", "t.metal:2:37: error: 'simd_sum' needs MSL 2.1, and the text is read as MSL 2.0"},
        {240, "kernel void k(device int *a) { *a = simd_shuffle_and_fill_up(*a, 1, 1); }",
         "t.metal:2:37: error: 'simd_shuffle_and_fill_up' needs MSL 2.4, and the text is read as MSL 2.3"},
        {310, "kernel void k(device half *a) { *a = nextafter(*a, *a); }", "t.metal:2:38: error: 'nextafter' needs MSL 3.1, and the text is read as MSL 3.0"},
        {310, "#if __HAVE_BFLOAT__\n#else\nfloat f() { return; }\n#endif", "t.metal:4:13: error: 'f' must return 'float'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "using namespace metal;\n%s", rows[i].code);
        msl_case c = {.options = {.version = rows[i].since - 10}};
        msl_read(&c, text);
        assert_null(c.unit);
        if (!str_starts(c.complaints, str_of(rows[i].complaint))) fail_msg("wanted %s\ngot %s", rows[i].complaint, c.complaints.p);
        msl_done(&c);
        c.options.version = rows[i].since;
        msl_read(&c, text);
        if (c.unit == NULL) fail_msg("%s: %s", rows[i].code, c.complaints.p);
        msl_done(&c);
    }
    msl_case own = {.options = {.version = 300}}; /* what is not there yet may be the text's own */
    msl_read(&own, "struct bfloat { ushort bits; }; ushort f(bfloat x) { return x.bits; }");
    assert_non_null(own.unit);
    msl_done(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros),
        cmocka_unit_test(conditions),
        cmocka_unit_test(versions_and_defines), cmocka_unit_test(features_by_version),
        cmocka_unit_test(refusals),
        cmocka_unit_test(explosion),
        cmocka_unit_test(pragmas),
        cmocka_unit_test(headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
