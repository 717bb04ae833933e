/* Expressions of MSL: precedence, conversions, constants. Trees are bracketed by hand from C++'s
 * rules. */
#include "mslfront_help.h"

static void precedence(void **state)
{
    (void)state;
    msl_statement("I[0] = 1 + i * j;", "(L(I)[0] = (1 + (L(i) * L(j))))");
    msl_statement("I[0] = (1 + i) * j;", "(L(I)[0] = ((1 + L(i)) * L(j)))");
    msl_statement("I[0] = i - j - 1;", "(L(I)[0] = ((L(i) - L(j)) - 1))");
    msl_statement("I[0] = i << j + 1;", "(L(I)[0] = (L(i) << (L(j) + 1)))");
    msl_statement("I[0] = i & j == 1;", "(L(I)[0] = (L(i) & CONVERT<int>((L(j) == 1))))");
    msl_statement("I[0] = i | j ^ i & j;", "(L(I)[0] = (L(i) | (L(j) ^ (L(i) & L(j)))))");
    msl_statement("b = i < j == b;", "(b = (CONVERT<int>((L(i) < L(j))) == CONVERT<int>(L(b))))");
    msl_statement("b = b || b && !b;", "(b = (L(b) || (L(b) && !(L(b)))))");
    msl_statement("i = j = 3;", "(i = L((j = 3)))");
    msl_statement("i += j -= 2;", "(i += L((j -= 2)))");
    msl_statement("i = b ? i : b ? j : 7;", "(i = (L(b) ? L(i) : (L(b) ? L(j) : 7)))");
    msl_statement("i = -i * ~j;", "(i = (-(L(i)) * ~(L(j))))");
    msl_statement("i = *I++;", "(i = L(*(post++(I))))");
    msl_statement("i = (*I)++;", "(i = post++(*(L(I))))");
    msl_statement("i = -j++;", "(i = -(post++(j)))");
    msl_statement("i, j;", "(i , j)");
    msl_statement("i >>= j >> 1;", "(i >>= (L(j) >> 1))");
}

static void casts_and_parentheses(void **state)
{
    (void)state;
    msl_statement("x = (float)i;", "(x = CONVERT<float>(L(i)))");
    msl_statement("x = (float)i / 2;", "(x = (CONVERT<float>(L(i)) / 2.0f))");
    msl_statement("x = (x) + 1;", "(x = (L(x) + 1.0f))");
    msl_statement("x = (float)+i;", "(x = CONVERT<float>(L(i)))");
    msl_statement("v.xy = (float2(x, y));", "(v.xy = float2(L(x), L(y)))");
    msl_statement("v = *(device float4*)(A + 4);",
                  "(v = L(*(POINTER<device float4 *>((L(A) + 4)))))");
    msl_statement("x = ((device float*)I)[2];", "(x = L(POINTER<device float *>(L(I))[2]))");
    msl_statement("n = ((int4)v);", "(n = CONVERT<int4>(L(v)))");
    msl_statement("v = (float4)x;", "(v = SPLAT<float4>(L(x)))");
    msl_statement("v = ((float4)*(device uchar4*)(B + 8));",
                  "(v = CONVERT<float4>(L(*(POINTER<device uchar4 *>((L(B) + 8))))))");
    msl_statement("u = as_type<uint>(x);", "(u = BITS<uint>(L(x)))");
    msl_statement("x = as_type<float>((u) << (uint)16);", "(x = BITS<float>((L(u) << 16u)))");
    msl_statement("u = (unsigned int)i;", "(u = CONVERT<uint>(L(i)))");
    msl_statement("l = long(i);", "(l = CONVERT<long>(L(i)))");
    msl_statement("u = unsigned(i);", "(u = CONVERT<uint>(L(i)))");
    msl_statement("x = static_cast<float>(i);", "(x = CONVERT<float>(L(i)))");
    msl_statement("(void)x;", "TO_VOID<void>(L(x))");
}

static void arithmetic_conversions(void **state)
{
    (void)state;
    msl_statement("l = i + u;", "(l = CONVERT<long>((CONVERT<uint>(L(i)) + L(u))))");
    msl_statement("l = u + l;", "(l = (CONVERT<long>(L(u)) + L(l)))");
    msl_statement("I[0] = B[0] + B[1];",
                  "(L(I)[0] = (CONVERT<int>(L(L(B)[0])) + CONVERT<int>(L(L(B)[1]))))");
    msl_statement("h = h * 2;", "(h = (L(h) * 2.0h))");
    msl_statement("h = h * h;", "(h = (L(h) * L(h)))");
    msl_statement("x = h + x;", "(x = (CONVERT<float>(L(h)) + L(x)))");
    msl_statement("h = h + 1.5;", "(h = CONVERT<half>((CONVERT<float>(L(h)) + 1.5f)))");
    msl_statement("x += i;", "(x += CONVERT<float>(L(i)))");
    msl_statement("i += x;", "(i += L(x))");
    msl_statement("B[0] += 1;", "(L(B)[0] += 1)");
    msl_statement("b = l < i;", "(b = (L(l) < CONVERT<long>(L(i))))");
    msl_statement("b = x;", "(b = CONVERT<bool>(L(x)))");
    msl_statement("if (i) x = 1;", "if CONVERT<bool>(L(i))\n    (x = 1.0f)");
    msl_statement("l = A + 3 - A;", "(l = ((L(A) + 3) - L(A)))");
    msl_statement("b = A == nullptr;",
                  "(b = (L(A) == NULL_POINTER<device float *>(zero nullptr_t())))");
}

static void vectors(void **state)
{
    (void)state;
    msl_statement("v = v * 2;", "(v = (L(v) * SPLAT<float4>(2.0f)))");
    msl_statement("v = x - v;", "(v = (SPLAT<float4>(L(x)) - L(v)))");
    msl_statement("v *= h;", "(v *= SPLAT<float4>(CONVERT<float>(L(h))))");
    msl_statement("v.wx = v.rg;", "(v.wx = L(v.xy))");
    msl_statement("x = v[i];", "(x = L(v[:L(i)]))");
    msl_statement("v[3] = (v)[1];", "(v[:3] = L(v[:1]))");
    msl_statement("v = float4(x, v.xy, i);", "(v = float4(L(x), L(v.xy), CONVERT<float>(L(i))))");
    msl_statement("b = all(v < w);", "(b = @all((L(v) < L(w))))");
    msl_statement("b = any(v < 1.0f && n == 2);",
                  "(b = @any(((L(v) < SPLAT<float4>(1.0f)) & (L(n) == SPLAT<int4>(2)))))");
    msl_statement("v = select(v, w, v > w);", "(v = @select(L(v), L(w), (L(v) > L(w))))");
    msl_statement("n = n >> 2;", "(n = (L(n) >> SPLAT<int4>(2)))");
    msl_statement("n = -n;", "(n = -(L(n)))");
    msl_statement("v = b ? v : w;", "(v = (L(b) ? L(v) : L(w)))");
    msl_statement("packed_float3 p = float3(1); v.xyz = p * 2;",
                  "packed_float3 p = PACK<packed_float3>(SPLAT<float3>(1.0f))\n"
                  "(v.xyz = (PACK<float3>(L(p)) * SPLAT<float3>(2.0f)))");
}

/* Values worked out by hand; a wrong one is a failed assertion in the text. */
static void folded_constants(void **state)
{
    (void)state;
    msl_good(
        "static_assert(7 / 2 * 2 == 6, \"\"); static_assert(-7 / 2 == -3, \"\"); static_assert(-7 "
        "% 3 == -1, \"\");"
        "static_assert((1 << 4 | 3) == 19, \"\"); static_assert(0xffffffff == 4294967295u, \"\");"
        "static_assert(0x80000000 > 0, \"\"); static_assert(-1 > 1u, \"\"); static_assert(-1 < 1, "
        "\"\");"
        "static_assert(2147483647 + 1 == -2147483647 - 1, \"\"); static_assert(010 == 8, \"\");"
        "static_assert(0b1010 == 10, \"\"); static_assert(1'000'000 == 1000000, \"\"); "
        "static_assert('a' == 97, \"\");"
        "static_assert(-8 >> 1 == -4, \"\"); static_assert((uchar)257 == 1, \"\"); "
        "static_assert((char)200 == -56, \"\");"
        "static_assert((int)-2.7f == -2, \"\"); static_assert(1.0f / 3.0f != 1.0 / 3.0 + 1e-7f, "
        "\"\");"
        "static_assert(sizeof(1.0) == 4, \"\"); static_assert(sizeof(1.0h) == 2, \"\"); "
        "static_assert(sizeof(1l) == 8, \"\");"
        "static_assert(sizeof(1.0bf) == 2, \"\"); static_assert(0x1.8p1f == 3.0f, \"\"); "
        "static_assert(.5e1 == 5.f, \"\");"
        "static_assert(true ? 1 : 1 / 0, \"\"); static_assert(!(false && 1 / 0), \"\");"
        "static_assert(16777217.0f == 16777216.0f, \"\"); static_assert(2049.0h == 2048.0h, \"\");"
        "static_assert(65519.0h == 65504.0h, \"\"); static_assert((float)16777217 == 16777216.0f, "
        "\"\");"
        "constant int n = 3; constant int m = n * n + 1; static_assert(m == 10, \"\");"
        "constant float a[m] = {1}; static_assert(sizeof(a) == 40, \"\");");
    msl_good("enum E { A, B = 5, C }; static_assert(C == 6, \"\"); enum class F : uchar { X = 3 };"
             "static_assert(sizeof(F) == 1, \"\"); static_assert((int)F::X + A == 3, \"\");");
    msl_bad("static_assert(1 + 1 == 3, \"sums\");",
            "1:1: error: static assertion failed: \"sums\"");
}

/* Literals that round twice wrongly when they pass through double first. The first lies just above
 * the tie between two neighbouring floats, 1 + 2^-24, by less than a double can tell. */
static void literals_round_once(void **state)
{
    (void)state;
    msl_good("static_assert(1.000000059604644775390625f == 1.0f, \"a tie goes to even\");"
             "static_assert(1.000000059604644775390626f == 0x1.000002p0f, \"just above it\");"
             "static_assert(1.000000059604644775390624f == 1.0f, \"just below it\");"
             "static_assert(1.00048828125h == 1.0h, \"tie\"); "
             "static_assert(1.000488281250000000000001h == 0x1.004p0h, \"\");"
             "static_assert(0.00390625000000000000001e0f != 0.f, \"\");");
}

static void suffixes_of_64_bits(void **state)
{
    (void)state;
    msl_good("static_assert(metal::is_same<decltype(1ll), long>::value && metal::is_same<decltype(1LL), long>::value, \"\");"
             "static_assert(metal::is_same<decltype(1ull), ulong>::value && metal::is_same<decltype(1LLU), ulong>::value, \"\");"
             "static_assert((1ull << 40) == 0x10000000000, \"\");");
    msl_bad("constant int i = 1lL;", "1:18: error: a number with a wrong digit or suffix stands here");
    msl_bad("constant int i = 1lll;", "1:18: error: a number with a wrong digit or suffix stands here");
}

static void bits_are_counted_as_constants(void **state)
{
    (void)state;
    msl_good("static_assert(__builtin_ctz(40) == 3 && __builtin_clz(1) == 31 && __builtin_clz(-1) == 0 && "
             "__builtin_popcount(255) == 8, \"\");\n"
             "template <int N> struct S { static constexpr constant int n = __builtin_ctz(N), k = 1 << (n % 3); };\n"
             "static_assert(S<256>::n == 8 && S<256>::k == 4, \"\");");
}

static void infinity_and_nan(void **state)
{
    (void)state;
    msl_statement("x = INFINITY;", "(x = inff)");
    msl_statement("x = -INFINITY;", "(x = -inff)");
    msl_statement("x = NAN;", "(x = nanf)");
    msl_statement("h = INFINITY;", "(h = infh)");
    msl_good("static_assert(FLT_MAX < INFINITY, \"\"); static_assert(-HALF_MAX == -65504.0h, \"\");"
             "static_assert(INT_MIN == -2147483648, \"\"); static_assert(NAN != NAN, \"\");");
}

static void statements(void **state)
{
    (void)state;
    msl_statement("for (int k = 0; k < 4; ++k) { if (k == 2) break; else continue; }",
                  "    int k = 0\nfor (L(k) < 4)\n    if (L(k) == 2)\n        break\n    else\n    "
                  "    continue\n"
                  "step ++(k)");
    msl_statement(
        "#pragma unroll 1\nwhile (1) { if (!(i < 3)) { break; } break;; }",
        "unroll 1\nwhile true\n    if !((L(i) < 3))\n        break\n    break\n    empty");
    msl_statement(
        "switch (u) { case 1: case 2: i = 1; break; default: i = 2; }",
        "switch L(u)\n    case 1\n    case 2\n    (i = 1)\n    break\n    default\n    (i = 2)");
    msl_statement("int a[2] = {1}; thread int *q = a; q[1] = a[0];",
                  "int[2] a = aggregate int[2](1)\nthread int * q = DECAY<thread int *>(a)\n"
                  "(L(q)[1] = L(DECAY<thread int *>(a)[0]))");
    msl_statement("do --i; while (i > 0);", "do while (L(i) > 0)\n    --(i)");
    msl_statement(
        "auto q = x * 2; auto &r = v; const auto &s = A[1];",
        "float q = (L(x) * 2.0f)\nthread float4 & r = v\ndevice const float & s = L(A)[1]");
    msl_statement("thread float acc[1]; acc[0] = 0.000000e+00f;",
                  "float[1] acc\n(DECAY<thread float *>(acc)[0] = 0.0f)");
    msl_statement("int2 v__1 = int2(((i))+(3*0), ((i))+(3*1)); x = A[v__1[0]];",
                  "int2 v__1 = int2((L(i) + 0), (L(i) + 3))\n(x = L(L(A)[L(v__1[:0])]))");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence),       cmocka_unit_test(casts_and_parentheses),
        cmocka_unit_test(vectors),          cmocka_unit_test(arithmetic_conversions),
        cmocka_unit_test(folded_constants), cmocka_unit_test(literals_round_once),
        cmocka_unit_test(suffixes_of_64_bits),
        cmocka_unit_test(bits_are_counted_as_constants),
        cmocka_unit_test(infinity_and_nan), cmocka_unit_test(statements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
