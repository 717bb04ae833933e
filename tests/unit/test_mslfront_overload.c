/* Which overload a call takes, and which calls are refused, by C++'s ranking over Metal's overload
 * sets. */
#include "mslfront_help.h"

static void library_takes_the_types_given(void **state)
{
    (void)state;
    msl_statement("x = max(x, y);", "(x = @max(L(x), L(y)))");
    msl_statement("i = max(i, 3);", "(i = @max(L(i), 3))");
    msl_statement("h = max(h, 0.0h);", "(h = @max(L(h), 0.0h))");
    msl_statement("v = max(v, 0.0f);", "(v = @max(L(v), SPLAT<float4>(0.0f)))");
    msl_statement("v = clamp(v, 0, 1);",
                  "(v = @clamp(L(v), SPLAT<float4>(0.0f), SPLAT<float4>(1.0f)))");
    msl_statement("x = pow(x, 2);", "(x = @pow(L(x), 2.0f))");
    msl_statement("h = pow(h, 2);", "(h = @pow(L(h), 2.0h))");
    msl_statement("x = fma(x, y, 1);", "(x = @fma(L(x), L(y), 1.0f))");
    msl_statement("x = fast::exp(x) + metal::precise::log(y);",
                  "(x = (@fast::exp(L(x)) + @precise::log(L(y))))");
    msl_statement("x = dot(v, w) + length(v.xyz);", "(x = (@dot(L(v), L(w)) + @length(L(v.xyz))))");
    msl_statement("i = select(i, j, i > 2);", "(i = @select(L(i), L(j), (L(i) > 2)))");
    msl_statement("x = simd_shuffle_down(x, 8);", "(x = @simd_shuffle_down(L(x), 8u:ushort))");
    msl_statement("x = simd_shuffle(x, i);", "(x = @simd_shuffle(L(x), CONVERT<ushort>(L(i))))");
    msl_statement("u = popcount(u) + clz(u);", "(u = (@popcount(L(u)) + @clz(L(u))))");
    msl_statement("float c; x = sincos(y, c);", "float c\n(x = @sincos(L(y), c))");
    msl_statement("b = isnan(x) || isinf(h);", "(b = (@isnan(L(x)) || @isinf(L(h))))");
    msl_statement("u = absdiff(i, j);", "(u = @absdiff(L(i), L(j)))");
    msl_statement("threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);",
                  "@threadgroup_barrier(3u:mem_flags)");
}

/* max(half, 0) and the like: neither half, half nor int, int is better for both arguments. */
/* Every scalar is nearer to a scalar than a vector is, and that counts before how much a template's parameters say. */
static void scalars_before_vectors(void **state)
{
    (void)state;
    msl_good("constexpr int g(int x) { return 1; } constexpr int g(uint3 x) { return 2; }\n"
             "static_assert(g(7u) == 1 && g(7.0f) == 1, \"\");");
    msl_good("template <typename I> constexpr int loc(I x, int n) { return 1; }\n"
             "template <typename I = long> constexpr int loc(uint3 x, int n) { return 2; }\n"
             "static_assert(loc<int>(7u, 3) == 1 && loc<int>(uint3(1, 2, 3), 3) == 2, \"\");");
}

static void library_is_ambiguous(void **state)
{
    (void)state;
    msl_refuse("h = max(h, 0);", "5: error: call of 'max' is ambiguous for (half, int)");
    msl_refuse("x = min(h, x);", "5: error: call of 'min' is ambiguous for (half, float)");
    msl_refuse("u = min(u, 3);", "5: error: call of 'min' is ambiguous for (uint, int)");
    msl_refuse("i = min(B[0], i);", "5: error: call of 'min' is ambiguous for (uchar, int)");
    msl_refuse("h = clamp(h, 0, 1);",
               "5: error: call of 'clamp' is ambiguous for (half, int, int)");
    msl_refuse("x = sqrt(i);", "5: error: call of 'sqrt' is ambiguous for (int)");
    msl_refuse("x = select(h, 1.0f, b);",
               "5: error: call of 'select' is ambiguous for (half, float, bool)");
}

static void library_does_not_take(void **state)
{
    (void)state;
    msl_refuse("v = max(v, v.xy);", "5: error: no function 'max' takes (float4, float2)");
    msl_refuse("l = simd_shuffle(l, 1);",
               "5: error: no function 'simd_shuffle' takes (long, int)");
    msl_refuse("x = dot(x, y);", "5: error: call of 'dot' is ambiguous for (float, float)");
    msl_refuse("i = popcount(v);", "5: error: no function 'popcount' takes (float4)");
    msl_refuse("x = max(x);", "5: error: no function 'max' takes (float)");
    msl_refuse("x = fast::popcount(i);", "5: error: 'popcount' has no fast or precise form");
    msl_refuse("atomic_fetch_add_explicit(U, 1u, memory_order_relaxed);",
               "1: error: no function 'atomic_fetch_add_explicit' takes (device uint *, uint, "
               "memory_order)");
    msl_refuse("x = nearbyint(x);", "5: error: 'nearbyint' is not declared");
    msl_bad("kernel void k(device float *A) { A[0] = exp(A[1]); }",
            "1:41: error: 'exp' is not declared; the library's is 'metal::exp'");
}

static void atomics_and_matrices(void **state)
{
    (void)state;
    msl_good(
        "using namespace metal; kernel void k(device atomic_uint *a, device atomic<float> *f, "
        "device float *A) {"
        "threadgroup atomic_int t; atomic_store_explicit(&t, 0, memory_order_relaxed);"
        "uint e = 3; bool w = atomic_compare_exchange_weak_explicit(a, &e, 5, "
        "memory_order_relaxed, memory_order_relaxed);"
        "A[0] = atomic_fetch_add_explicit(f, 1, memory_order_relaxed) + w + atomic_load_explicit(a "
        "+ 1, memory_order_relaxed);"
        "simdgroup_half8x8 c[2]; c[0] = make_filled_simdgroup_matrix<half, 8, 8>(0.000000e+00f);"
        "simdgroup_float8x8 m(0), q = simdgroup_matrix<float, 8, 8>(1.0f);"
        "simdgroup_load(m, (&(A[0])), 8, 0, (bool)0); simdgroup_store(q, A + 64, 16, ulong2(0, 0), "
        "true);"
        "simdgroup_multiply_accumulate(c[0], c[1], c[1], c[0]); }");
    msl_bad("using namespace metal; kernel void k(device atomic_uint *a) { a[0] = 1; }",
            "1:63: error: an atomic cannot be assigned; there is atomic_store_explicit()");
}

static void user_functions(void **state)
{
    (void)state;
    msl_good(
        "int f(int) { return 1; } int f(float) { return 2; } int f(int, float y = 3) { return 4; }"
        "void g() { short s = 1; half h = 1; (void)f(1.0f); (void)f(1, 2); }");
    msl_bad("int f(int a, float b) { return 1; }\nint f(float a, int b) { return 2; }\nvoid g() { "
            "f(1, 1); }",
            "3:12: error: call of 'f' is ambiguous for (int, int)");
    msl_bad("int f(int a, float b) { return 1; }\nint f(thread int *a) { return 2; }\nvoid g() { "
            "f(); }",
            "3:12: error: no function 'f' takes ()");
    msl_bad("int f(int a) { return 1; }\nvoid g() { f(1, 2); }",
            "2:12: error: no function 'f' takes (int, int)");
    msl_bad("using namespace metal;\nfloat exp(float x) { return x; }\nvoid g() { exp(1.0f); }",
            "3:12: error: call of 'exp' is ambiguous for (float)");
    msl_good("using namespace metal; struct V { float x; }; float length(V v) { return v.x; }"
             "float g(V v, float2 w) { return length(v) + length(w); }");
}

/* The overload chosen, by the type that its result gives. */
static void user_ranking(void **state)
{
    (void)state;
    msl_good("using namespace metal; char f(int); short f(float); char f(int x) { return 1; } "
             "short f(float x) { return 1; }"
             "static_assert(sizeof(f(1)) == 1, \"\"); static_assert(sizeof(f((short)1)) == 1, "
             "\"promotion\");"
             "static_assert(sizeof(f(1.0f)) == 2, \"\"); static_assert(sizeof(f(true)) == 1, \"\");"
             "char g(device float *p) { return 1; } short g(threadgroup float *p) { return 1; }"
             "kernel void k(device float *A) { threadgroup float t[4]; static_assert(sizeof(g(A)) "
             "== 1, \"\");"
             " static_assert(sizeof(g(t)) == 2, \"\"); }"
             "char r(thread int &x) { return 1; } short r(constant int &x) { return 1; } constant "
             "int c = 1;"
             "void h() { int i; static_assert(sizeof(r(i)) == 1, \"\"); static_assert(sizeof(r(c)) "
             "== 2, \"\"); }");
}

static void recursion_and_bodies(void **state)
{
    (void)state;
    msl_bad("int f(int x) { return x == 0 ? 1 : f(x - 1); }",
            "1:5: error: 'f' calls itself, and recursion does not exist in MSL");
    msl_bad("int g(int x); int f(int x) { return g(x); } int g(int x) { return f(x); }",
            "1:49: error: 'g' calls itself, and recursion does not exist in MSL");
    msl_bad("int g(int x);\nint f(int x) { return g(x); }",
            "2:23: error: 'g' is called but has no body");
    msl_case c = {0};
    msl_read(&c, "int a(int); int b(int x) { return a(x); } int a(int x) { return x; } kernel void "
                 "k(device int *A)"
                 "{ A[0] = b(1); }");
    assert_non_null(c.unit);
    assert_int_equal(c.unit->function_count, 3);
    assert_true(str_is(c.unit->functions[0]->name, "a"));
    assert_true(str_is(c.unit->functions[1]->name, "b"));
    assert_true(str_is(c.unit->functions[2]->name, "k"));
    msl_done(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_takes_the_types_given),
        cmocka_unit_test(scalars_before_vectors), cmocka_unit_test(library_is_ambiguous),
        cmocka_unit_test(library_does_not_take),
        cmocka_unit_test(atomics_and_matrices),
        cmocka_unit_test(user_functions),
        cmocka_unit_test(user_ranking),
        cmocka_unit_test(recursion_and_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
