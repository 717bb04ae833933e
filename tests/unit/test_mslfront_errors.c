/* Complaints: where they point, that several come in one go, that limits hold. */
#include "mslfront_help.h"

#include <stdlib.h>

static void several_at_once(void **state)
{
    (void)state;
    msl_case c = {0};
    msl_read(&c, "using namespace metal;\n"
                 "kernel void k(device float *A) {\n"
                 "  A[0] = foo;\n"
                 "  int x = ;\n"
                 "  int y = 3\n"
                 "  A[1] = x + y;\n"
                 "  A[2] = A;\n"
                 "}\n"
                 "struct S { int a };\n"
                 "kernel void l(device float *A) { A[0] = 1; A.x = 2; }\n");
    static const char *const want[] = {
        "t.metal:3:10: error: 'foo' is not declared\n",
        "t.metal:4:11: error: expected an expression before ';'\n",
        "t.metal:5:12: error: expected ';' after the declaration\n",
        "t.metal:7:10: error: cannot assign 'device float *' as 'float'; what it points at, by '*', may be meant\n",
        "t.metal:9:18: error: expected ';' after the member\n",
        "t.metal:10:44: error: 'device float *' has no members; for a pointer use '->'\n"};
    const char *at = c.complaints.p;
    for (size_t i = 0; i < sizeof want / sizeof want[0]; ++i) {
        at = strstr(at, want[i]);
        if (at == NULL) fail_msg("missing %s in\n%s", want[i], c.complaints.p);
    }
    assert_int_equal(c.diags.errors, 6);
    msl_done(&c);
}

static void carets_and_notes(void **state)
{
    (void)state;
    msl_case c = {0};
    msl_read(&c, "void f(int a, thread float *b) {}\nvoid f(int a) {}\nvoid g() { f(1, 2.0f); }\n");
    assert_string_equal(c.complaints.p,
                        "t.metal:3:12: error: no function 'f' takes (int, float)\n"
                        "    3 | void g() { f(1, 2.0f); }\n"
                        "      |            ^~~~~~~~~~\n"
                        "t.metal:1:6: note: candidate not viable: argument 2, 'float', does not go "
                        "to 'thread float *'\n"
                        "    1 | void f(int a, thread float *b) {}\n"
                        "      |      ^\n"
                        "t.metal:2:6: note: candidate not viable: it takes 1 argument, not 2\n"
                        "    2 | void f(int a) {}\n"
                        "      |      ^\n");
    msl_done(&c);
}

static void meaning(void **state)
{
    (void)state;
    msl_refuse(
        "v = n;",
        "5: error: cannot assign 'int4' as 'float4': vectors of other elements need an explicit "
        "conversion");
    msl_refuse("v = v + n;", "5: error: '+' does not take 'float4' and 'int4'; vectors need the "
                             "same width and elements");
    msl_refuse("n = n * 2.5f;",
               "5: error: '*' does not take 'int4' and 'float'; vectors need the same width and "
               "elements");
    msl_refuse("x = x % y;",
               "5: error: '%' does not take 'float' and 'float'; for floats there is fmod()");
    msl_refuse("i = x << 1;", "5: error: '<<' does not take 'float' and 'int'");
    msl_refuse("v.xx = v.xy;", "1: error: cannot assign to this: an element stands in it twice");
    msl_refuse("v.xg = v.xy;", "3: error: 'xg' names no elements of 'float4'");
    msl_refuse("x = v.xy.z;", "10: error: 'float2' has no element 'z'");
    msl_refuse("x = v[4];", "7: error: index 4 is out of range: 'float4' has 4 elements");
    msl_refuse("v = b ? 1 : n;",
               "5: error: cannot assign 'int4' as 'float4': vectors of other elements need "
               "an explicit conversion");
    msl_refuse("if (v < w) x = 1;",
               "5: error: a condition must be a scalar, not 'bool4'; any() or all() may be meant");
    msl_refuse("v = v < w ? v : w;",
               "5: error: the condition of '?:' must be a scalar; for vectors there is select()");
    msl_refuse("float4 q = float4(x, y);", "12: error: 'float4' has 4 elements, not 2");
    msl_refuse("float4 q = float4(v, y);", "12: error: 'float4' has 4 elements, not 5");
    msl_refuse("float3 q = float3(v);", "12: error: cannot cast 'float4' to 'float3'");
    msl_refuse("const int c = 1; c = 2;", "18: error: cannot assign to this: it is const");
    msl_refuse("i++ = 3;", "1: error: cannot assign to this: it is a value, not a place");
    msl_refuse("int i2 = 1, i2 = 2;", "13: error: 'i2' is already declared in this scope");
    msl_refuse("int q[0];", "7: error: an array's length is 0, not between 1 and 1099511627776");
    msl_refuse("int q[i];", "7: error: an array's length must be a constant integer");
    msl_refuse("int q[2] = {1, 2, 3};", "19: error: too many initialisers for 'int[2]'");
    msl_refuse("threadgroup int t = 3;",
               "21: error: a threadgroup variable cannot have an initialiser");
    msl_refuse("break;", "1: error: 'break' stands in no loop");
    msl_refuse("switch (i) { case 1: case 1: ; }", "22: error: the case 1 stands twice");
    msl_refuse("switch (x) { }", "9: error: a switch needs an integer, not 'float'");
    msl_refuse("return 3;", "8: error: 'k' returns nothing, so nothing can be returned");
    msl_refuse("l = as_type<long>(x);",
               "5: error: as_type from 'float' to 'long': the sizes differ");
    msl_refuse("bfloat q = h;", "12: error: cannot initialise with 'half' as 'bfloat'");
    msl_refuse("x = h + 1.0bf;",
               "5: error: '+' does not take 'half' and 'bfloat'; convert one of them");
}

static void refused_by_name(void **state)
{
    (void)state;
    msl_refuse("double d = 1;", "1: error: 'double' does not exist in MSL");
    msl_refuse("long long q;", "1: error: 'long long' does not exist in MSL; 'long' has 64 bits");
    msl_refuse("goto out;", "1: error: 'goto' is not supported");
    msl_refuse("static int q;", "1: error: a static variable in a function must be 'constant'");
    msl_bad("auto f = [](int a) { return a; };", "1:10: error: a lambda outside of functions is not supported");
    msl_refuse(
        "int *q;",
        "5: error: a pointer needs an address space: device, constant, threadgroup or thread");
    msl_refuse("auto q = nullptr;", "10: error: 'auto' of nullptr is not supported");
    msl_bad("int f(int x) { int x = 2; return x; }",
            "1:20: error: 'x' is already declared in this scope");
    msl_bad("kernel void k(device metal::atomic_int *a, device int *b) { b[0] = a[0]; }",
            "1:68: error: an atomic has no plain value; there is atomic_load_explicit()");
    msl_bad("struct S { int a : 3; };", "1:18: error: bit fields are not supported");
    msl_bad("struct S : T { };", "1:12: error: expected a base class");
    msl_bad("struct S { int a; S(const thread S &o) : a(o.a + 1) {} S(int x) : a(x) {} }; struct T { S s; int b; };\nT f(const thread T &t) { return t; }",
            "2:33: error: copying 'T' is not supported: its member 's' has a copy constructor of its own");
    msl_bad("struct S { int a; S(const thread S &o) : a(o.a + 1) {} };\nS f(device const S *p) { return *p; }",
            "2:33: error: no constructor of 'S' copies from device memory");
    msl_bad("struct S { S(const thread S &) = delete; };\nS f(const thread S &s) { return s; }", "2:33: error: 'S::S' is deleted");
    msl_bad("struct S { int n; thread S &operator+=(const thread S &o) = default; };", "1:29: error: 'operator+=' cannot be left to the compiler");
    msl_bad("struct S { char c; } alignas(3) s;", "1:22: error: an alignment is a power of two");
    msl_refuse("alignas(2) float4 q;", "1: error: an alignment of 2 is less than that of 'float4', 16");
    msl_bad("struct S { virtual void f(); };", "1:12: error: 'virtual' is not supported: no function is chosen by an object's kind at run time in MSL");
    msl_bad("struct S { friend void f(); };", "1:12: error: 'friend' is not supported");
    msl_bad("int n [[function_constant(0)]];",
            "1:5: error: a function constant is a scalar or vector in the constant address space");
    msl_bad("float4x4 f() { return float4x4(1); }",
            "1:1: error: 'float4x4' is not a type; namespace metal has one");
}

/* Names of other languages, words as names, calls that do not exist: each with what may have been meant. */
static void hints(void **state)
{
    (void)state;
    static const char *const metal = "using namespace metal;\n";
    static const struct {
        const char *code, *want;
    } rows[] = {
        {"kernel void k(device int *a) { a[0] = threadIdx.x; }",
         "2:39: error: 'threadIdx' is not declared; [[thread_position_in_threadgroup]] on a kernel's parameter gives it"},
        {"kernel void k(device int *a) { a[0] = std::min(a[0], 3); }",
         "2:39: error: 'std' is not declared; C++'s standard library does not exist in MSL, but namespace metal has some of it"},
        {"kernel void k(device int *kernel) {}", "2:27: error: 'kernel' is a word of the language and cannot be a name"},
        {"kernel void k(device atomic_int *a) { a[0] += 1; }",
         "2:39: error: an atomic does not take '+='; there is atomic_fetch_add_explicit() and its like"},
        {"kernel void k(device atomic_int *a) { a[0]++; }",
         "2:39: error: '++' does not take 'atomic_int'; there is atomic_fetch_add_explicit() and its like"},
        {"kernel void k(device long *a) { a[0] = simd_sum(a[0]); }", "2:40: error: no function 'simd_sum' takes (long)"},
        {"kernel void k(device float *a) { a[0] = simd_shuffle_and_fill_up(a[0], 0, 1); }",
         "2:41: error: no function 'simd_shuffle_and_fill_up' takes (float, int, int)"},
        {"kernel void f(device int *a) {} kernel void k(device int *a) { f(a); }",
         "2:64: error: 'f' is a kernel: another function cannot call it"},
        {"#include <metal_raytracing>", "2:10: error: what 'metal_raytracing' has is not supported"},
        {"kernel void k(device int *a, raytracing::ray r) {}", "2:30: error: ray tracing is not supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", metal, rows[i].code);
        msl_bad(text, rows[i].want);
    }
    msl_bad("kernel void k() { threadgroup_barrier(mem_flags::mem_device); }",
            "1:19: error: 'threadgroup_barrier' is not declared; the library's is 'metal::threadgroup_barrier'");
    msl_case c = {0}; /* one complaint, and the text goes on behind the list */
    msl_read(&c, "kernel void k(device int *a) { int v[2] = {1, {2}, f(3, 4), 5}; a[0] = v[1]; }");
    assert_null(c.unit);
    assert_int_equal(c.diags.errors, 1);
    msl_done(&c);
}

/* Functions whose end can be reached without a return are warned of; those that cannot are not. */
static void missing_returns(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned warnings;
    } rows[] = {
        {"if (x) return 1; else return 2;", 0},
        {"if (x) return 1;", 1},
        {"while (true) { if (x) return 3; }", 0},
        {"for (;;) { if (x) break; }", 1},
        {"for (;;) { for (;;) break; }", 0},
        {"do { x++; } while (x < 3);", 1},
        {"switch (x) { case 1: return 1; default: return 2; }", 0},
        {"switch (x) { case 1: return 1; }", 1},
        {"switch (x) { case 1: break; default: return 2; }", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "int f(int x) { %s }", rows[i].body);
        msl_case c = {0};
        msl_read(&c, text);
        assert_non_null(c.unit);
        if (c.diags.warnings != rows[i].warnings) fail_msg("%s: %s", rows[i].body, c.complaints.p);
        msl_done(&c);
    }
}

/* `count` times `piece` between `head` and `tail`. */
static char *repeated(const char *head, const char *piece, size_t count, const char *tail)
{
    size_t h = strlen(head), n = strlen(piece), t = strlen(tail);
    char *text = malloc(h + n * count + t + 1);
    assert_non_null(text);
    memcpy(text, head, h);
    for (size_t i = 0; i < count; ++i) memcpy(text + h + i * n, piece, n);
    memcpy(text + h + n * count, tail, t + 1);
    return text;
}

static void refuse_deep(const char *head, const char *piece, const char *tail, const char *message)
{
    char *text = repeated(head, piece, 100000, tail);
    msl_case c = {0};
    msl_read(&c, text);
    assert_null(c.unit);
    if (strstr(c.complaints.p, message) == NULL)
        fail_msg("wanted %s, got %.300s", message, c.complaints.p);
    msl_done(&c);
    free(text);
}

static void depth(void **state)
{
    (void)state;
    refuse_deep("constant int x = ", "(", "1;", "nested more than 256 deep");
    refuse_deep("constant int x = ", "-", "1;", "nested more than 256 deep");
    refuse_deep("void f() { ", "{", "", "statements are nested more than 200 deep");
    refuse_deep("void f(int x) { ", "if (x) ", ";}", "statements are nested more than 200 deep");
    refuse_deep("void f(int x) { if (x) ;", " else if (x) ;", "}",
                "more than 1000 'else if' in a chain");
    refuse_deep("void f(int x) { x = x", " + x", ";}",
                "the expression is more than 1000 operations deep");
    refuse_deep("struct S { ", "struct { ", "int a;", "nested more than 256 deep");
    refuse_deep("namespace a { ", "namespace b { ", "", "nested more than 256 deep");
    refuse_deep("constant int x", "[2]", " = {1};", "nested more than 256 deep");
    refuse_deep("constant int a[1] = ", "{", "1;", "nested more than 256 deep");
    refuse_deep("#define F(x) x\nconstant int a = ", "F(", "1;", "macro");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_at_once), cmocka_unit_test(carets_and_notes),
        cmocka_unit_test(meaning),         cmocka_unit_test(refused_by_name), cmocka_unit_test(hints),
        cmocka_unit_test(missing_returns), cmocka_unit_test(depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
