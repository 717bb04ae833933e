/* Members of structs: functions, constructors, operators, bases, statics, initialisers. */
#include "mslfront_help.h"

static void gives(const char *text, const char *line)
{
    msl_case c = {0};
    msl_read(&c, text);
    if (c.unit == NULL) fail_msg("refused:\n%s\n%s", text, c.complaints.p);
    if (strstr(c.dump.p, line) == NULL) fail_msg("%s\nwanted: %s\ngot:\n%s", text, line, c.dump.p);
    msl_done(&c);
}

static void says(const char *text, const char *words)
{
    msl_case c = {0};
    msl_read(&c, text);
    assert_null(c.unit);
    if (strstr(c.complaints.p, words) == NULL)
        fail_msg("%s\nwanted: %s\ngot:\n%s", text, words, c.complaints.p);
    msl_done(&c);
}

static void functions(void **state)
{
    (void)state;
    gives("struct S { int v; int get() const { return v; } void set(int x) { v = x; } static int "
          "one() { return 1; } };\n"
          "int f() { S s; s.set(S::one()); return s.get(); }",
          "int get(thread const S & this)");
    gives("struct S { int v; int get() const { return later() + this->v; } int later() const { "
          "return 2; } };\n"
          "int f(S s) { return s.get(); }",
          "return (later(this) + L(this.v))");
    gives("struct S { int v; int get() const thread { return 1; } int get() const device { return "
          "2; } };\n"
          "int f(device S *p, S s) { return p->get() + s.get(); }",
          "int get(device const S & this)");
    gives("struct S { int v; template <typename T> T as() const { return T(v); } }; half f(S s) { "
          "return s.as<half>(); }",
          "half as(thread const S & this)");
    says("struct S { int v; int get() const { return v; } };\nint f(device S *p) { return "
         "p->get(); }",
         "it is for objects 'thread const S &', and this one is in device memory");
    says("struct S { int v; void set() { v = 1; } };\nvoid f(const S s) { s.set(); }",
         "it is for objects 'thread S &', and this one is const in thread memory");
}

static void defined_after_the_call(void **state)
{
    (void)state;
    gives("struct S { int v; int get(int x) const device; };\n"
          "int f(device const S *p) { return p->get(2); }\n"
          "int S::get(int x) const device { return v + x; }",
          "return (L(this.v) + L(x))");
    says("struct S { int v; int get(int x) const device; };\nint f(device const S *p) { return p->get(2); }",
         "'get' is called but has no body");
}

static void anonymous_members(void **state)
{
    (void)state;
    gives("struct S { union { uint u; float f; }; int n; S(float x) : n(1), f(x) {} }; uint g() { S s(2); return s.u; }",
          ".f = L(x))");
    gives("struct S { struct { union { int i; float f; }; int k; }; S(float x) : f(x), k{3} {} }; int g() { return S(2).k; }",
          ".k = 3)");
    says("struct B { int i; }; struct S : B { int k; S(int x) : i(x) {} };", "expected the name of a member or base");
}

static void constructors(void **state)
{
    (void)state;
    gives("struct P { float x, y = 3; P(float a) : x(a) {} P() = default; }; float f() { P p(2); "
          "return p.x; }",
          "(this.y = 3.0f)");
    gives("struct P { int a, b; P(int x) : P(x, x) {} P(int x, int y) : a{x}, b(y) { b += 1; } }; "
          "int f() { return P(1).b; }",
          "(this = P(L(x), L(x)))");
    gives("struct D { int a = 4; int b; }; int f() { D d; return d.a; }", "D d = D()");
    gives("struct D { int a = 4; int b; }; int f() { D d = {}; return d.a + d.b; }",
          "D d = aggregate D(4, 0)");
    gives("struct R { threadgroup float &t; R(threadgroup float &x) : t(x) {} void put(float v) { "
          "t = v; } };\n"
          "void f(threadgroup float *p) { R r(p[0]); r.put(1); }",
          "(*(L(this.t)) = L(v))");
    gives("struct C { float v; C(float x) : v(x) {} }; float g(C c) { return c.v; } float f() { "
          "return g(2.0f); }",
          "return g(C(2.0f))");
    says("struct E { float v; explicit E(float x) : v(x) {} }; float g(E e) { return e.v; } float "
         "f() { return g(2.0f); }",
         "cannot pass 'float' as 'E'");
    says("struct N { int v; N(int x) : v(x) {} }; void f() { N n; }",
         "'N' has no constructor without arguments");
}

static void operators(void **state)
{
    (void)state;
    gives("struct V { int x; V operator+(V o) const { return {x + o.x}; } thread V &operator+=(V "
          "o) { x += o.x; return *this; } };\n"
          "int f(V a, V b) { a += b; return (a + b).x; }",
          "operator+=(a, L(b))");
    gives("struct V { int x; }; bool operator==(V a, V b) { return a.x == b.x; } bool f(V a, V b) "
          "{ return a == b; }",
          "return operator==(L(a), L(b))");
    gives("struct F { int k; int operator()(int x) const { return x * k; } int operator[](int i) "
          "const { return i + k; } };\n"
          "int f(F g) { return g(2) + g[3]; }",
          "return (operator()(g, 2) + operator[](g, 3))");
    gives("struct B { float v; operator float() const { return v; } }; float f(B b) { return b * "
          "2.0f; }",
          "operator float(b)");
    gives("namespace n { struct V { int x; }; V operator-(V a) { return {-a.x}; } } int f(n::V v) "
          "{ return (-v).x; }",
          "operator-(L(v))");
}

static void bases(void **state)
{
    (void)state;
    gives("struct A { int a; int get() const { return a; } }; struct B : A { int b; int both() "
          "const { return get() + b + a; } };\n"
          "int f(B b) { return b.both() + b.a; }",
          "return ((get(this.(anon)) + L(this.b)) + L(this.(anon).a))");
    gives(
        "struct T { static constexpr constant int v = 3; typedef float type; }; struct U : T { };\n"
        "U::type f() { return U::v; }",
        "float f()");
    msl_good("struct A { int a; }; struct B : public A { int b; }; int g(A a) { return a.a; } int "
             "f(B b) { return g(b); }");
}

static void statics_and_types(void **state)
{
    (void)state;
    msl_good(
        "struct S { static constexpr constant int n = 4; enum { m = n * 2 }; enum class E { a, b = "
        "7 }; using T = float; float v[n]; };\n"
        "static_assert(sizeof(S) == 16 && S::m == 8 && sizeof(S::T) == 4 && int(S::E::b) == 7);");
    msl_good("struct O { struct I { int x; }; I i; }; O::I f(O o) { return o.i; }");
    msl_good(
        "struct L { int g() const; }; int L::g() const { return 3; } int f(L l) { return l.g(); }");
}

static void initialisers(void **state)
{
    (void)state;
    gives("struct S { int a, b; float c; }; S f() { S s = {.b = 2, .c = 1}; return s; }",
          "aggregate S(0, 2, 1.0f)");
    gives("struct P { int x, y; }; struct Q { P p[2]; }; Q f() { Q q = {1, 2, 3, 4}; return q; }",
          "aggregate Q(aggregate P[2](aggregate P(1, 2), aggregate P(3, 4)))");
    gives("void f() { int a[4] = {[1] = 5, [2 ... 3] = 6}; }", "aggregate int[4](0, 5, 6, 6)");
    gives("using namespace metal; float g(float3 v) { return v.x; } float f() { return g({1, 2, "
          "3}); }",
          "g(float3(1.0f, 2.0f, 3.0f))");
    gives("template <typename T, int N> struct A { T e[N]; }; constant A<int, 2> a = A<int, 2>({ "
          "4, 5 }); int f() { return a.e[1]; }",
          "aggregate A<int, 2>(aggregate int[2](4, 5))");
    says("struct S { int a, b; }; S f() { S s = {.b = 2, .a = 1}; return s; }",
         "members are initialised in their order");
    says("struct S { int a; }; S f() { S s = {.c = 2}; return s; }", "'S' has no member 'c'");
}

static void function_constants(void **state)
{
    (void)state;
    const char *text = "constant int n [[function_constant(3)]]; constant bool has = "
                       "is_function_constant_defined(n);\n"
                       "kernel void k(device int *o) { o[0] = has ? n : 9; }";
    mf_given given = {.index = 3, .value = {.i = 5}};
    msl_case c = {.options = {.constants = &given, .constant_count = 1}};
    msl_read(&c, text);
    assert_non_null(c.unit);
    assert_true(c.unit->globals[0]->is_function_constant && c.unit->globals[0]->is_given);
    assert_int_equal(c.unit->globals[0]->value.i, 5);
    assert_int_equal(c.unit->globals[1]->value.i, 1);
    msl_done(&c);
    c.options = (mf_options){0};
    msl_read(&c, text);
    assert_non_null(c.unit);
    assert_false(c.unit->globals[0]->is_given);
    assert_int_equal(c.unit->globals[1]->value.i, 0);
    msl_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),          cmocka_unit_test(defined_after_the_call),
        cmocka_unit_test(anonymous_members),
        cmocka_unit_test(constructors),
        cmocka_unit_test(operators),          cmocka_unit_test(bases),
        cmocka_unit_test(statics_and_types),  cmocka_unit_test(initialisers),
        cmocka_unit_test(function_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
