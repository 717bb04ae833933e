/* Templates: what instantiations give, what is deduced, and how wrong ones are refused. */
#include "mslfront_help.h"

/* The text is accepted and its dump has this line. */
static void gives(const char *text, const char *line)
{
    msl_case c = {0};
    msl_read(&c, text);
    if (c.unit == NULL) fail_msg("refused:\n%s\n%s", text, c.complaints.p);
    if (strstr(c.dump.p, line) == NULL) fail_msg("%s\nwanted: %s\ngot:\n%s", text, line, c.dump.p);
    msl_done(&c);
}

/* The text is refused and one of the complaints or notes says this. */
static void says(const char *text, const char *words)
{
    msl_case c = {0};
    msl_read(&c, text);
    assert_null(c.unit);
    if (strstr(c.complaints.p, words) == NULL)
        fail_msg("%s\nwanted: %s\ngot:\n%s", text, words, c.complaints.p);
    msl_done(&c);
}

static void deduces(void **state)
{
    (void)state;
    gives("template <int N> struct I { static constexpr constant int n = N; };\n"
          "template <typename T> int put(int a, T t = I<0>()) { return a + T::n; } int f() { return put(5, I<16>()); }",
          "int put(int a, I<16> t)");
    gives("template <typename T> T twice(T x) { return x + x; } int f(int a) { return twice(a); }",
          "int twice(int x)");
    gives("template <typename T> T at(const device T *p, int i) { return p[i]; }\n"
          "half f(device half *p) { return at(p, 2); }",
          "half at(device const half * p, int i)");
    gives("using namespace metal; template <typename T, int N> T first(vec<T, N> v) { return v[0]; "
          "}\n"
          "half f(half3 v) { return first(v); }",
          "half first(half3 v)");
    gives("template <typename T, int N> int count(thread T (&a)[N]) { return N; }\n"
          "int f() { float a[5]; return count(a); }",
          "return 5");
    gives("template <typename T, int N> struct A { T v; }; template <typename T, int N> int n(A<T, "
          "N> a) { return N; }\n"
          "int f() { A<float, 7> a = {1}; return n(a); }",
          "return 7");
    gives("template <typename U, typename T> U to(T x) { return U(x); } float f(int i) { return "
          "to<float>(i); }",
          "float to(int x)");
    gives("template <typename T = float> struct D { T v; }; float f() { D<> d = {1}; return d.v; }",
          "D<float> d");
    gives("template <typename T> struct Id { typedef T type; };\n"
          "template <typename T> T pick(T a, typename Id<T>::type b) { return b; } float f() { "
          "return pick(1.5f, 2); }",
          "float pick(float a, float b)");
}

/* More special templates win over less special ones, and plain functions over both. */
static void chooses(void **state)
{
    (void)state;
    const char *head = "using namespace metal;\n"
                       "template <typename T> int which(T x) { return 1; }\n"
                       "template <typename T, int N> int which(vec<T, N> x) { return 2; }\n"
                       "template <typename T> int which(device T *x) { return 3; }\n"
                       "int which(half x) { return 4; }\n";
    static const struct {
        const char *call, *line;
    } rows[] = {{"int f(int x) { return which(x); }", "int which(int x)"},
                {"int f(float4 x) { return which(x); }", "int which(float4 x)"},
                {"int f(device int *x) { return which(x); }", "int which(device int * x)"},
                {"int f(half x) { return which(x); }", "int which(half x)"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", head, rows[i].call);
        gives(text, rows[i].line);
    }
}

static void sequences_of_integers(void **state)
{
    (void)state;
    gives("using namespace metal; template <int... I> int last(integer_sequence<int, I...>) { int n = 5; ((n = I), ...); return n; }\n"
          "static_assert(make_index_sequence<4>::size() == 4 && is_same<make_integer_sequence<int, 2>, integer_sequence<int, 0, 1>>::value, \"\");\n"
          "int g() { return last(make_integer_sequence<int, 3>{}); }", "(n = 2)");
}

static void specialises(void **state)
{
    (void)state;
    const char *head =
        "template <typename T, int N> struct S { static constexpr constant int v = 1; };\n"
        "template <typename T> struct S<T, 2> { static constexpr constant int v = 2; };\n"
        "template <> struct S<float, 2> { static constexpr constant int v = 3; };\n"
        "template <typename T> constexpr constant int k = 4; template <> constexpr constant int "
        "k<half> = 5;\n"
        "template <typename T> int g(T x) { return 6; } template <> int g<half>(half x) { return "
        "7; }\n";
    static const struct {
        const char *code, *line;
    } rows[] = {
        {"static_assert(S<int, 1>::v == 1 && S<int, 2>::v == 2 && S<float, 2>::v == 3);", ""},
        {"static_assert(k<int> == 4 && k<half> == 5);", ""},
        {"int f() { return g(1); }", "return 6"},
        {"int f() { return g(1.0h); }", "return 7"},
        {"template <typename T> __attribute__((always_inline)) T none(); template <> inline "
         "__attribute__((always_inline)) int none() { return 8; } int f() { return none<int>(); }",
         "return 8"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", head, rows[i].code);
        gives(text, rows[i].line);
    }
}

static void kernels_are_instantiated(void **state)
{
    (void)state;
    const char *text = "template <typename T> [[kernel]] void scale(device T *p [[buffer(0)]], "
                       "uint i [[thread_position_in_grid]])\n"
                       "{ p[i] = p[i] * T(2); }\n"
                       "template [[host_name(\"scale_\" \"half\")]] [[kernel]] "
                       "decltype(scale<half>) scale<half>;\n"
                       "typedef decltype(scale<float>) scale_t;\n"
                       "template [[host_name(\"scale_float\")]] kernel scale_t scale<float>;\n"
                       "template kernel void scale<int>(device int *p, uint i);\n";
    msl_case c = {0};
    msl_read(&c, text);
    if (c.unit == NULL) fail_msg("%s", c.complaints.p);
    assert_int_equal(c.unit->kernel_count, 3);
    assert_non_null(mf_unit_kernel(c.unit, STR("scale_half")));
    assert_non_null(mf_unit_kernel(c.unit, STR("scale_float")));
    assert_non_null(mf_unit_kernel(c.unit, STR("scale<int>")));
    assert_ptr_equal(mf_unit_kernel(c.unit, STR("scale_half"))->params[0]->type->elem,
                     mf_scalar_type(MF_HALF));
    msl_done(&c);
}

static void functions_are_arguments(void **state)
{
    (void)state;
    gives("template <typename T> using Fn = void (*)(thread T *, int); void put(thread float *p, "
          "int i) { p[i] = 1; }\n"
          "template <typename T, Fn<T> f> void run(thread T *p) { f(p, 2); } void g() { float "
          "a[3]; run<float, put>(a); }",
          "put(L(p), 2)");
    gives("int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; }\n"
          "template <int (*op)(int, int)> int apply(int a) { return op(a, 1); } int f() { return "
          "apply<sub>(3); }",
          "return sub(L(a), 1)");
    gives("template <typename T> T inc(T x) { return x + 1; }\n"
          "template <typename T, T (*op)(T)> T apply(T a) { return op(a); } half f(half h) { "
          "return apply<half, inc<half>>(h); }",
          "half inc(half x)");
}

/* The other arm of an "if constexpr" is not read; traits decide, and take part in overloads. */
static void decides(void **state)
{
    (void)state;
    gives("using namespace metal; template <typename T> T f(T x) {\n"
          "  if constexpr (is_same_v<T, int>) { return x + 1; } else if constexpr "
          "(is_floating_point_v<T>) { return x * 2; }\n"
          "  else { return x.nothing; } }\n"
          "half g(half h) { return f(h); } int k(int i) { return f(i); }",
          "return (L(x) * 2.0h)");
    gives("using namespace metal;\n"
          "template <typename T, enable_if_t<is_integral_v<T>, bool> = true> int kind(T x) { "
          "return 1; }\n"
          "template <typename T, enable_if_t<is_floating_point_v<T>, bool> = true> int kind(T x) { "
          "return 2; }\n"
          "int f(half h) { return kind(h); }",
          "int kind(half x)");
    msl_good("using namespace metal;\n"
             "static_assert(is_same_v<conditional_t<true, int, float>, int>);\n"
             "static_assert(is_same_v<remove_reference_t<thread int &>, int> && "
             "is_same_v<remove_cv_t<const int>, int>);\n"
             "static_assert(is_same_v<make_unsigned_t<short>, ushort> && "
             "is_same_v<make_scalar_t<half3>, half>);\n"
             "static_assert(is_signed_v<int> && is_unsigned_v<uchar> && !is_pointer_v<int> && "
             "is_pointer_v<device int *>);\n"
             "static_assert(is_convertible_v<int, float> && !is_convertible_v<half, bfloat>);\n"
             "static_assert(conjunction<is_same<int, int>, true_type>::value && "
             "!disjunction<false_type>::value);\n"
             "static_assert(integral_constant<int, 5>::value + 1 == 6);");
}

static void constants_are_computed(void **state)
{
    (void)state;
    msl_good(
        "constexpr int fact(int n) { int r = 1; for (int i = 2; i <= n; ++i) r *= i; return r; }\n"
        "constexpr int fib(int n) { int a = 0, b = 1; while (n > 0) { int t = a + b; a = b; b = t; "
        "n--; } return a; }\n"
        "static_assert(fact(5) == 120); static_assert(fib(10) == 55);\n"
        "template <int N> struct A { float v[fact(N)]; }; static_assert(sizeof(A<4>) == 96);\n"
        "template <int N> struct Sum { static constexpr constant int value = N + Sum<N - "
        "1>::value; };\n"
        "template <> struct Sum<0> { static constexpr constant int value = 0; };\n"
        "static_assert(Sum<10>::value == 55);");
}

static void packs_expand(void **state)
{
    (void)state;
    gives("template <typename T> T sum(T x) { return x; }\n"
          "template <typename T, typename... Ts> T sum(T x, Ts... xs) { return x + sum(xs...); }\n"
          "int f() { return sum(1, 2, 3); }",
          "return sum(1, 2, 3)");
    msl_good(
        "template <typename... Ts> struct L { static constexpr constant int n = sizeof...(Ts); };\n"
        "static_assert(L<int, float, half>::n == 3 && L<>::n == 0);");
}

static void complains(void **state)
{
    (void)state;
    says("template <typename T> T bad(T x) { return x.nothing; }\nint f(int i) { return bad(i); }",
         "in instantiation of 'bad<int>', asked for here");
    says("template <typename T> struct S { T::wrong x; };\nS<int> s(S<int> a) { return a; }",
         "in instantiation of 'S<int>'");
    msl_bad("template <typename T> T one() { return 1; } int f() { return one(); }",
            "1:62: error: no function 'one' takes ()");
    msl_bad("template <typename T, int N> struct S { }; void f() { S<int> s; }",
            "1:55: error: nothing says what the template's parameter 'N' is");
    msl_bad(
        "template <typename T> T same(T a, T b) { return a; } int f() { return same(1, 2.0f); }",
        "1:71: error: no function 'same' takes (int, float)");
    says("template <int N> struct R { static constexpr constant int v = R<N + 1>::v; }; constant "
         "int x = R<0>::v;",
         "templates ask for each other more than 128 deep");
    says("template <int N> int r(int x) { return r<N + 1>(x); } int f() { return r<0>(1); }",
         "templates ask for each other more than 128 deep");
    says("template <int N> struct I {}; template <typename T> void put(T t = I<0>()) {} void f() { put<I<1>>(); }",
         "1:90: error: a default argument of 'put<I<1>>' does not fit its parameter here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deduces),
        cmocka_unit_test(chooses),
        cmocka_unit_test(sequences_of_integers), cmocka_unit_test(specialises),
        cmocka_unit_test(kernels_are_instantiated),
        cmocka_unit_test(functions_are_arguments),
        cmocka_unit_test(decides),
        cmocka_unit_test(constants_are_computed),
        cmocka_unit_test(packs_expand),
        cmocka_unit_test(complains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
