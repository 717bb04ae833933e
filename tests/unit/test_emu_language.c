/* MSL as people write it, run: each kernel writes numbers that are worked out by hand beside it. */
#include "emu_help.h"

static void run_ints(const char *body, int32_t *out, size_t n)
{
    memset(out, 0, n * sizeof *out);
    emu_case c = {.buffers = {{out, n * sizeof *out}}};
    emu_once(body, &c);
}

static void expect_ints(const char *body, const int32_t *want, size_t n)
{
    int32_t out[16];
    run_ints(body, out, n);
    for (size_t i = 0; i < n; ++i) {
        if (out[i] != want[i]) fail_msg("%s\n[%zu] is %d, not %d", body, i, out[i], want[i]);
    }
}
#define EXPECT(body, ...)                                                                          \
    do {                                                                                           \
        const int32_t want_[] = {__VA_ARGS__};                                                     \
        expect_ints(body, want_, sizeof want_ / sizeof want_[0]);                                  \
    } while (0)

/* "T()" and "{}": zero before a constructor that is left to the compiler, also within arrays and members; one that the program wrote
 * has the last word. */
static void empty_values(void **state)
{
    (void)state;
    EXPECT("struct S { int b; int c[2]; S() = default; explicit S(int a) : b(a) {} };\n"
           "struct T { S s; int d; };\n"
           "struct U { S s; int d = 7; U() {} };\n"
           "struct W { S s; int d = 7; };\n"
           "struct X { S a[2]; int q; };\n"
           "int first(S s) { return s.b; }\n"
           "kernel void k(device int *o) {\n"
           "  S s{}; T t = T(); W w{}; X x = {}; T u[2] = {}; T v = {S(5)}; U y = U(); T z{};\n"
           "  o[0] = s.b + s.c[1]; o[1] = t.s.b + t.d; o[2] = w.s.b; o[3] = w.d; o[4] = x.a[1].c[0] + x.q; o[5] = u[1].s.b + u[0].d;\n"
           "  o[6] = v.s.b; o[7] = v.d; o[8] = first(S()); o[9] = y.d; o[10] = z.s.c[1] + z.d; }",
           0, 0, 0, 7, 0, 0, 5, 0, 0, 7, 0);
}

/* An array that is captured by value is a copy: what the function does to its own later changes nothing. A name given to it is a pointer. */
static void captured_arrays(void **state)
{
    (void)state;
    EXPECT("kernel void k(device int *o) {\n"
           "  int a[3] = {1, 2, 3}; int b[2][2] = {{4, 5}, {6, 7}};\n"
           "  auto all = [=](int i) { return a[i] * 10 + b[i][1]; };\n"
           "  auto named = [a](int i) { return a[i]; };\n"
           "  auto seen = [&](int i) { return a[i]; };\n"
           "  auto pointed = [p = a](int i) { return p[i]; };\n"
           "  a[1] = 50; b[1][1] = 70;\n"
           "  o[0] = all(0); o[1] = all(1); o[2] = named(1); o[3] = seen(1); o[4] = pointed(1); o[5] = a[1]; }",
           15, 27, 2, 50, 50, 50);
}

static void templates(void **state)
{
    (void)state;
    EXPECT(
        "template <typename T, int N> struct Stack { T v[N]; int n = 0; void push(T x) { v[n++] = "
        "x; } T pop() { return v[--n]; } };\n"
        "template <typename T> T most(T a, T b) { return a < b ? b : a; }\n"
        "template <typename T> struct Less { bool operator()(T a, T b) const { return a < b; } };\n"
        "template <typename T, typename F> void sort(thread T *p, int n, F f) {\n"
        "  for (int i = 1; i < n; ++i) for (int j = i; j > 0 && f(p[j], p[j - 1]); --j) { T t = "
        "p[j]; p[j] = p[j - 1]; p[j - 1] = t; } }\n"
        "kernel void k(device int *o) {\n"
        "  Stack<int, 4> s; s.push(3); s.push(5); o[0] = s.pop() * 10 + s.pop(); o[1] = most(2, "
        "7);\n"
        "  int a[4] = {4, 1, 3, 2}; sort(a, 4, Less<int>()); o[2] = a[0] * 1000 + a[1] * 100 + "
        "a[2] * 10 + a[3]; }",
        53, 7, 1234);
    EXPECT(
        "template <int N> struct Unroll { template <typename F> static void run(thread F &f) { "
        "Unroll<N - 1>::run(f); f(N); } };\n"
        "template <> struct Unroll<0> { template <typename F> static void run(thread F &f) {} };\n"
        "struct Sum { int total = 0; void operator()(int i) { total = total * 10 + i; } };\n"
        "kernel void k(device int *o) { Sum s; Unroll<4>::run(s); o[0] = s.total; }",
        1234);
    EXPECT("template <typename T> T sum(T x) { return x; }\n"
           "template <typename T, typename... Ts> T sum(T x, Ts... xs) { return x + sum(xs...); }\n"
           "kernel void k(device int *o) { o[0] = sum(1, 20, 300, 4000); }",
           4321);
    EXPECT("template <typename T> int arm(T x) { if constexpr (is_same_v<T, int>) return 1; else "
           "if constexpr (is_floating_point_v<T>) return 2; else return 3; }\n"
           "kernel void k(device int *o) { o[0] = arm(1); o[1] = arm(1.0h); o[2] = arm(1u); }",
           1, 2, 3);
}

static void members(void **state)
{
    (void)state;
    EXPECT("struct C { float re, im; C(float r, float i = 0) : re(r), im(i) {}\n"
           "  C operator*(C o) const { return C(re * o.re - im * o.im, re * o.im + im * o.re); }\n"
           "  thread C &operator+=(C o) { re += o.re; im += o.im; return *this; } };\n"
           "bool operator==(C a, C b) { return a.re == b.re && a.im == b.im; }\n"
           "kernel void k(device int *o) { C a(1, 2), b(3, 4); C c = a * b; c += 10.0f; o[0] = "
           "int(c.re); o[1] = int(c.im);\n"
           "  o[2] = c == C(5, 10); o[3] = a == b; }",
           5, 10, 1, 0);
    EXPECT("struct A { int a = 5; int twice() const { return a * 2; } }; struct B : A { int b; "
           "B(int x) : b(x) { a += x; } int all() const { return twice() + b; } };\n"
           "int through(A x) { return x.a; } kernel void k(device int *o) { B b(3); o[0] = "
           "b.all(); o[1] = b.twice(); o[2] = through(b); }",
           19, 16, 8);
    EXPECT("struct W { threadgroup int &t; int step; W(threadgroup int &x, int s) : t(x), step(s) "
           "{} void go() { t += step; } };\n"
           "kernel void k(device int *o) { threadgroup int m; m = 1; W w(m, 4); w.go(); w.go(); "
           "o[0] = m; }",
           9);
    EXPECT("struct D { int v; int get() const device { return v + 100; } int get() const thread { "
           "return v; } };\n"
           "kernel void k(device D *o) { D t = {7}; o[1].v = t.get(); o[0].v = o[1].get(); }",
           107, 7);
    EXPECT("struct N { int a[2] = {1, 2}; int b = 3; }; kernel void k(device int *o) { N n; N "
           "m[2]; o[0] = n.a[1] + n.b; o[1] = m[1].a[0] + m[0].b; N q = {{7}}; o[2] = q.a[0] + "
           "q.a[1] + q.b; }",
           5, 4, 10);
    EXPECT(
        "struct B { int v; operator int() const { return v * 2; } }; int g(int x) { return x; }\n"
        "kernel void k(device int *o) { B b = {4}; o[0] = b; o[1] = g(b) + 1; o[2] = b * 3; if (b) "
        "o[3] = 1; }",
        8, 9, 24, 1);
}

static void initialisers_and_loops(void **state)
{
    (void)state;
    /* 7 % 6, 11 % 6, 15 % 6 and 19 % 6 are 1, 5, 3 and 1: three rounds, however the bound is written; then steps of 7 and 11 to 18. */
    EXPECT("kernel void k(device int *o) { int v = 7; for (int n = 0; n < v % 6; ++n) v += 4; o[0] = v;\n"
           "  int w = 7; thread int &r = w; for (int n = 0; n < w % 6; ++n) r += 4; o[1] = w;\n"
           "  int x = 7; thread int *p = &x; for (int n = 0; n < x % 6; ++n) *p += 4; o[2] = x;\n"
           "  int y = 7; auto more = [&]() { y += 4; }; for (int n = 0; n < y % 6; ++n) more(); o[3] = y;\n"
           "  int z = 3; for (int n = 0; n < 10; n += z) z += 4; o[4] = z;\n"
           "  struct { int e; } s = {7}; for (int n = 0; n < s.e % 6; ++n) s.e += 4; o[5] = s.e; }",
           19, 19, 19, 19, 11, 19);
    EXPECT("struct S { int a, b, c; }; kernel void k(device int *o) { S s = {.a = 1, .c = 3}; o[0] "
           "= s.a * 100 + s.b * 10 + s.c;\n"
           "  int m[2][2] = {1, 2, 3, 4}; o[1] = m[1][0] * 10 + m[0][1]; int g[5] = {[1 ... 3] = "
           "2, [4] = 7}; o[2] = g[0] + g[1] + g[3] + g[4]; }",
           103, 32, 11);
    EXPECT(
        "kernel void k(device int *o) { int a[3] = {1, 2, 3}; int t = 0; for (int x : a) t = t * "
        "10 + x; o[0] = t;\n"
        "  for (thread auto &x : a) { if (x == 2) continue; x *= 5; } o[1] = a[0] + a[1] + a[2];\n"
        "  array<int, 3> r = {{4, 5, 6}}; int p = 1; for (int x : r) { if (x == 6) break; p *= x; "
        "} o[2] = p + int(r.size()); }",
        123, 22, 23);
}

static void matrices(void **state)
{
    (void)state;
    EXPECT("kernel void k(device int *o) { float2x2 a = float2x2(1, 2, 3, 4), b = "
           "float2x2(float2(5, 6), float2(7, 8));\n"
           "  float2x2 c = a * b; o[0] = int(c[0][0]); o[1] = int(c[0][1]); o[2] = int(c[1][0]); "
           "o[3] = int(c[1][1]);\n"
           "  float2 v = a * float2(1, 10); o[4] = int(v.x); o[5] = int(v.y); o[6] = "
           "int(determinant(a)); o[7] = int(transpose(a)[0][1]);\n"
           "  float3x3 d = float3x3(2.0f); o[8] = int((d * float3(1, 2, 3)).z + (d + d)[1][1]); "
           "half2x2 h = half2x2(a - b); o[9] = int(h[1].y); }",
           23, 34, 31, 46, 31, 42, -2, 3, 10, -4);
}

static void function_constants(void **state)
{
    (void)state;
    int32_t out[1] = {0};
    emu_case c = {.buffers = {{out, sizeof out}}};
    const char *text = "constant int n [[function_constant(4)]];\n"
                       "constant int m = is_function_constant_defined(n) ? n : 6;\n"
                       "kernel void k(device int *o) { o[0] = n; } kernel void safe(device int *o) "
                       "{ o[0] = is_function_constant_defined(n) ? n : 6; }";
    emu_fails(text, &c, INGOT_UNSUPPORTED,
              "running without a value of the function constant 'n' (index 4) is not supported");
    emu_library *l = emu_text(text);
    emu_must(l, "safe", &c);
    assert_int_equal(out[0], 6);
    emu_library_free(l);
}

/* Variables declared in conditions, and what stands before them. */
static void conditions(void **state)
{
    (void)state;
    EXPECT("static int half_of(int x) { return x / 2; }\n"
           "kernel void k(device int *o) { if (int h = half_of(9)) o[0] = h; else o[0] = -1; if (int h = half_of(1)) o[1] = h; else o[1] = h - 5;\n"
           "  if (int a = half_of(0)) o[2] = a; else if (int b = half_of(6); b > 2) o[2] = a + b * 10; else o[2] = 7;\n"
           "  int n = 20, s = 0; while (int m = half_of(n)) { n = m; if (m == 5) continue; s = s * 10 + m; } o[3] = s; o[4] = n;\n"
           "  switch (int m = half_of(8); m) { case 4: o[5] = m * 2; break; default: o[5] = 0; } if (uint u = 3; u == 3) o[6] = int(u); }",
           4, -5, 30, 1021, 1, 8, 3);
}

/* Lambdas: what they capture and how, those that take anything, handed to templates, within members and within each other. */
static void lambdas(void **state)
{
    (void)state;
    EXPECT("kernel void k(device int *o) { auto twice = [](int x) { return x * 2; }; o[0] = twice(21); int n = 3;\n"
           "  auto add = [&](int x) { n += x; }; add(4); o[1] = n; auto kept = [n](int x) { return n * x; }; n = 100; o[2] = kept(2);\n"
           "  auto all = [=]() { return n + 1; }; n = 0; o[3] = all(); auto counter = [m = 5]() mutable { return ++m; }; counter(); o[4] = counter();\n"
           "  o[5] = [](float x) -> int { return int(x) + 1; }(2.75f); }",
           42, 7, 14, 101, 7, 3);
    EXPECT("template <typename F> void each(int n, F f) { for (int i = 0; i < n; ++i) f(i); }\n"
           "template <typename F> int fold(const thread int *v, int n, F f) { int r = v[0]; for (int i = 1; i < n; ++i) r = f(r, v[i]); return r; }\n"
           "template <typename F> void chosen(bool c, F f) { if (c) f(true_type{}); else f(false_type{}); }\n"
           "kernel void k(device int *o) { int v[4] = {3, 9, 2, 5}; each(4, [&](int i) { o[i] = v[i] * 10; });\n"
           "  o[4] = fold(v, 4, [](int a, int b) { return a > b ? a : b; }); auto pick = [](auto a, auto b) { return a + b; }; o[5] = pick(1, 2) + int(pick(1.5f, 2.0f) * 2);\n"
           "  chosen(v[1] > 5, [&](auto c) { o[6] = decltype(c)::value ? 1 : 2; }); chosen(false, [&](auto c) { if constexpr (c.value) o[7] = 1; else o[7] = 2; }); }",
           30, 90, 20, 50, 9, 10, 1, 2);
    EXPECT("struct S { int base; int run(int n) { auto add = [&](int x) { return base + x + extra(); }; auto outer = [&](int x) { auto inner = [&](int y) { n += y; return add(y); }; return inner(x) * 10 + n; };\n"
           "  return outer(2); } int extra() const { return 100; } };\n"
           "kernel void k(device int *o) { S s = {5}; o[0] = s.run(1); threadgroup int t[2]; auto put = [&](int i, int x) { t[i] = x; }; put(0, 8); put(1, 9); o[1] = t[0] * 10 + t[1];\n"
           "  constexpr int fixed = 6; auto f = [] { return fixed * 2; }; o[2] = f(); }",
           1073, 89, 12);
    emu_refused("kernel void k(device int *o) { int n = 1; auto f = [](int x) { return x + n; }; o[0] = f(1); }", "'n' is not captured by the lambda");
    emu_refused("template <typename... T> int sum(T... x) { return (x + ...); }\n"
                "template <typename... T> int later(T... x) { auto f = [&](int i) { return sum((x * i)...); }; return f(2); }\n"
                "kernel void k(device int *o) { o[0] = later(1, 2); }", "a lambda that captures a pack is not supported");
}

/* Namespaces within each other at once, inline ones, and functions of other stages that are passed over. */
static void scopes(void **state)
{
    (void)state;
    EXPECT("namespace a::b { constant int two = 2; int f(int x) { return x + two; } namespace c { int g() { return f(10); } } }\n"
           "namespace a { inline namespace v1 { int h() { return 7; } } int i() { return h() * b::two; } }\n"
           "struct Out { float4 at [[position]]; float4 colour [[color(0)]]; int id [[user(loc0)]]; };\n"
           "vertex Out corner(uint i [[vertex_id]]) { Out o; o.at = nowhere(i); return o; }\n"
           "fragment float4 shade(Out in [[stage_in]]) { return dfdx(in.colour); }\n"
           "kernel void k(device int *o) { o[0] = a::b::f(1); o[1] = a::b::c::g(); o[2] = a::h(); o[3] = a::i(); Out x; x.id = 4; o[4] = x.id; }",
           3, 12, 7, 14, 4);
}

/* Votes are objects; a struct that becomes whatever is asked for; all() of one bool; coherent memory. */
static void library_types(void **state)
{
    (void)state;
    EXPECT("struct Zero { template <typename T> operator T() && { return T{}; } };\n"
           "kernel void k(device int *o, coherent device int *c [[buffer(1)]]) { o[0] = true ? 5 : Zero(); o[1] = false ? o[0] : Zero(); float4 v = o[0] > 9 ? float4(1) : Zero(); o[2] = int(v.x);\n"
           "  simd_vote a = simd_ballot(true); o[3] = int((simd_vote::vote_t)a); o[4] = a.any(); o[5] = a.all(); o[6] = int(simd_vote::vote_t(simd_active_threads_mask())); o[7] = int(quad_vote::vote_t(quad_ballot(false)));\n"
           "  o[8] = all(o[0] == 5) + any(o[0] == 6) * 10; }",
           5, 0, 0, 1, 1, 0, 1, 0, 1);
    emu_refused("kernel void k(device int *o, device int *p) {}\nkernel void l(device int *o) { ulong m = simd_ballot(true); o[0] = int(m); }", "simd_vote");
}

/* A function that calls itself as the last thing it does is a loop. */
static void own_calls(void **state)
{
    (void)state;
    EXPECT("struct S { int a = 0; int b = 0; void next(int n) thread { if (n == 0) return; a += n; b++; if (n > 1) { next(n - 1); } } };\n"
           "static int common(int a, int b) { if (b == 0) return a; return common(b, a % b); }\n"
           "static void fill(device int *o, int n) { if (n != 0) { *o = n; fill(o + 1, n - 1); } }\n"
           "kernel void k(device int *o) { S s; s.next(4); o[0] = s.a * 10 + s.b; o[1] = common(36, 24); o[2] = common(o[1] * 7, 30); fill(o + 3, 3); }",
           104, 12, 6, 3, 2, 1);
    /* the new parameters are made of the old ones before any changes, also where the calls stand in a loop; arrays of one turn's own */
    EXPECT("static int go(int n, int a, int b) { if (n == 0) return a; return go(n - 1, b, a + b); }\n"
           "static void add(thread int *p, int n) { if (n == 0) return; *p += n; add(p + 1, n - 1); }\n"
           "static int own(int n, int sum) { int v[2] = {n, 10 * n}; if (n == 0) return sum; return own(n - 1, sum + v[n & 1]); }\n"
           "kernel void k(device int *o) { for (int i = 0; i < 3; ++i) o[i] = go(9 + i, 0, 1); int v[3] = {10, 20, 30}; add(v, 3);\n"
           "  o[3] = v[0]; o[4] = v[1]; o[5] = v[2]; o[6] = own(4, 0); }",
           34, 55, 89, 13, 22, 31, 46);
    emu_refused("static int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); } kernel void k(device int *o) { o[0] = sum(o[1]); }",
                "'sum' calls itself, and recursion does not exist in MSL");
    /* a variable of each call's own, which the next calls look at: no loop has as many */
    emu_refused("static int last(thread int *p, int n) { int x = n; if (n == 0) return *p; return last(&x, n - 1); }\n"
                "kernel void k(device int *o) { int y = 9; o[0] = last(&y, 3); }",
                "'last' calls itself, and recursion does not exist in MSL");
    emu_refused("static int last(thread int *p, int n) { int x[2] = {n, n}; if (n == 0) return *p; return last(x + 1, n - 1); }\n"
                "kernel void k(device int *o) { int y = 9; o[0] = last(&y, 3); }",
                "'last' calls itself, and recursion does not exist in MSL");
    emu_refused("static int last(thread int *p, int n) { int x = n; thread int &r = x; thread int *q = &r; if (n == 0) return *p; return last(q, n - 1); }\n"
                "kernel void k(device int *o) { int y = 9; o[0] = last(&y, 3); }",
                "'last' calls itself, and recursion does not exist in MSL");
    emu_refused("struct P { thread int *p; int n; thread int *at() thread { return &n; } };\n"
                "static int last(P a, int n) { P b; b.n = n; b.p = b.at(); if (n == 0) return *a.p; return last(b, n - 1); }\n"
                "kernel void k(device int *o) { P y; y.p = y.at(); y.n = 1; o[0] = last(y, 3); }",
                "'last' calls itself, and recursion does not exist in MSL");
}

/* Copies by a constructor of one's own, assignments and destructors left to the compiler, members whose value names others. */
static void copies(void **state)
{
    (void)state;
    EXPECT("struct C { int v, made; C(int x) : v(x), made(0) {} C(const thread C &o) : v(o.v), made(o.made + 1) {} ~C() {} };\n"
           "int through(C c) { return c.v * 10 + c.made; } C give(C c) { return c; }\n"
           "kernel void k(device int *o) { C a(4); C b = a; C c(b); o[0] = b.made * 10 + c.made; o[1] = through(a); a = c; o[2] = a.made;\n"
           "  C d = C(7); o[3] = d.made; o[4] = give(d).made; }",
           12, 41, 2, 0, 2);
    EXPECT("struct S { int a, b; thread S &operator=(const thread S &o) thread = default; S() = default; S(int x) : a(x), b(x + 1) {}\n"
           "  threadgroup S &operator=(const thread S &o) threadgroup = default; ~S() thread = default; };\n"
           "kernel void k(device int *o) { S x(3), y; y = x; (y = x).b += 10; threadgroup S t; t = y; o[0] = y.a * 100 + y.b; o[1] = t.b; }",
           314, 14);
    EXPECT("template <typename T> struct R { T n, sum; constexpr R<T>() = default; constexpr R<T>() threadgroup = default; };\n"
           "template <int D> struct Next { const thread int *p; int first = p[0]; int all[2] = {first, D}; };\n"
           "struct Pair { int x, twice = x * 2, last; }; R<int> make() { return {6, 7}; }\n"
           "kernel void k(device int *o) { R<int> r = R<int>{4, 5}; o[0] = r.n * 10 + r.sum; r = make(); o[1] = r.n * r.sum; int a[2] = {8, 9};\n"
           "  Next<3> n{a}; o[2] = n.first * 100 + n.all[0] * 10 + n.all[1]; Pair q = {5}; o[3] = q.twice * 10 + q.last; }",
           45, 42, 883, 100);
}

/* Lambdas with "auto" parameters within each other, handed to templates: the inner one captures what the outer one has captured. */
static void nested_lambdas(void **state)
{
    (void)state;
    EXPECT("template <typename F> void both(F f) { f(true_type{}); f(false_type{}); }\n"
           "kernel void k(device int *o) { int n = 1, step = 10; both([&](auto a) { both([&](auto b) {\n"
           "  if constexpr (a.value && b.value) n += step; else n = n * 2 + step; step += 1; }); }); o[0] = n; o[1] = step; }",
           169, 14); /* 11; 22 + 11; 66 + 12; 156 + 13 */
}

/* What decides between a text's functions and the library's, and which instance is meant. */
static void choices(void **state)
{
    (void)state;
    EXPECT("inline float simd_sum(float x) { return x * 2; }\n"
           "template <typename R, typename A> R conv(A a); template <> inline int conv(float a) { return int(a) + 1; }\n"
           "template <> inline float conv(float a) { return a / 2; }\n"
           "kernel void k(device int *o) { o[0] = int(simd_sum(21.0f)); o[1] = conv<int>(4.0f) * 10 + int(conv<float>(4.0f)); o[2] = simd_sum(3); }",
           42, 52, 3);
    EXPECT("namespace own { template <bool B> struct bool_constant {}; template <bool B> int which(metal::bool_constant<B>) { return B ? 1 : 2; }\n"
           "  template <bool B> int which(bool_constant<B>) { return B ? 3 : 4; } }\n"
           "kernel void k(device int *o) { o[0] = own::which(metal::true_type{}) * 10 + own::which(own::bool_constant<false>{}); }",
           14);
    EXPECT("template <bool second> thread int &pick(thread int &a, thread int &b) { if constexpr (second) { return b; } else { return a; } }\n"
           "int sign(int x) { { if (x < 0) return -1; } return x > 0; }\n"
           "kernel void k(device int *o) { int a = 1, b = 2; pick<true>(a, b) = 7; pick<false>(a, b) += 3; o[0] = a * 10 + b; o[1] = sign(-5) * 10 + sign(4); }",
           47, -9);
    EXPECT("extern \"C\" struct P { int a; }; extern \"C\" { struct Q { int b; }; int both(P p, Q q) { return p.a - q.b; } }\n"
           "int second(device int *(&list)[2]) { return list[1][0]; }\n"
           "kernel void k(device int *o) { device const void *v = o; P p = {9}; Q q = {4}; o[0] = both(p, q); o[2] = 77;\n"
           "  thread const device int *at[2]; at[1] = o + 2; o[1] = *at[1]; device int *list[2] = {o, o + 2}; o[2] = second(list) + (v == o) + (o + 1 != v); }",
           5, 77, 79);
}

/* numeric_limits by its members, and with a specialisation of one's own; matrices from what converts to them. */
static void limits_and_matrices(void **state)
{
    (void)state;
    EXPECT("struct W { int v; }; template <> struct _numeric_limits_impl<W> { static constexpr W max() { return W{99}; } };\n"
           "constant int lengths[numeric_limits<char>::digits] = {};\n"
           "kernel void k(device int *o) { o[0] = numeric_limits<short>::lowest(); o[1] = numeric_limits<float>::digits * 1000 + numeric_limits<half>::max_exponent;\n"
           "  o[2] = numeric_limits<uint>::is_signed + 2 * numeric_limits<bfloat>::has_infinity; o[3] = numeric_limits<W>::max().v; o[4] = sizeof lengths;\n"
           "  o[5] = as_type<ushort>(nextafter(1.0h, 2.0h)); o[6] = as_type<ushort>(nextafter(0.0h, -1.0h)); o[7] = as_type<ushort>(nextafter(-1.0h, 0.0h)); }",
           -32768, 24016, 2, 99, 28, 0x3c01, 0x8001, 0xbbff);
    EXPECT("struct M { float2x2 m; operator float2x2() const { return m; } }; float next(thread int &n) { return float(++n); }\n"
           "struct A { int e[3]; constexpr const constant int &operator[](size_t i) const constant { return e[i]; } };\n"
           "constant A table = {{4, 5, 6}}; constant int second = table[1] + 1;\n"
           "kernel void k(device int *o) { int n = 0; float2x2 m = float2x2(next(n)); m.columns[1][0] = 5; o[0] = n * 100 + int(m[0][0] * 10 + m[1][1]); o[1] = int(m[1].x);\n"
           "  M x = {m}; float2x2 y = float2x2(x); o[2] = int(y.columns[1].x); o[3] = second; o[4] = is_integral_v<int3> + 2 * is_floating_point_v<half2> + 4 * is_scalar_v<int3>;\n"
           "  float2 r = refract(float2(0, -1), float2(0, 1), 0.5f), none = refract(float2(1, 0), float2(0, 1), 2.0f); o[5] = int(r.x * 10 + r.y); o[6] = int(none.x + none.y); }",
           111, 5, 5, 6, 3, -1, 0);
    EXPECT("template <typename T> struct alignas(16) A { T x; }; struct D { ulong b; constexpr D(int m) : b(ulong(m) << 40) {} constexpr operator ulong() const { return b; } };\n"
           "template <ulong X, typename T> struct S; template <ulong X> struct S<X, int> { static constexpr constant int high = int(X >> 40); };\n"
           "template <typename T> T last(const thread vec<T, 8> &v) { return v[7]; }\n"
           "kernel void k(device int *o) { constexpr auto d = D(5); o[0] = S<d, int>::high; o[1] = sizeof(A<int>) * 100 + sizeof(vec<float, 8>);\n"
           "  vec<half, 8> w(2.0h), z = w; z[7] = 9; o[2] = int(last(z)) * 10 + int(last(w)); }",
           5, 1632, 92);
    EXPECT("struct __attribute__((aligned(32))) P { char c; }; struct Q { char c; __attribute__((aligned(8))) char d; } __attribute__((aligned(16)));\n"
           "kernel void k(device int *o) { alignas(16) float v[8] = {1, 2, 3, 4, 5, 6, 7, 8}; thread float *p = v; o[0] = sizeof(P) * 100 + sizeof(Q);\n"
           "  o[1] = int(((thread float4 *)p)[1].z); }",
           3216, 7);
}

/* Of two templates that take the arguments alike, the one whose parameters the other would take, too. */
static void more_special(void **state)
{
    (void)state;
    EXPECT("template <typename T> int f(T x) { return 1; }\ntemplate <typename T> int f(thread T *x) { return 2; }\n"
           "template <typename T> int f(const thread T *x) { return 3; }\n"
           "kernel void k(device int *o) { int a; const int b = 1; o[0] = f(a); o[1] = f(&a); o[2] = f(&b); }",
           1, 2, 3);
    EXPECT("template <typename T> int f(T a, T b) { return 1; }\ntemplate <typename T, typename U> int f(T a, U b) { return 2; }\n"
           "kernel void k(device int *o) { o[0] = f(1, 2); o[1] = f(1, 2.0f); }",
           1, 2);
    EXPECT("template <typename... Ts> int f(Ts... a) { return 1; }\ntemplate <typename T> int f(T a) { return 2; }\n"
           "template <typename T, typename... Ts> int f(T a, Ts... b) { return 3; }\n"
           "kernel void k(device int *o) { o[0] = f(); o[1] = f(1); o[2] = f(1, 2); }",
           1, 2, 3);
    EXPECT("template <typename T> struct W { T x; };\ntemplate <typename T> int f(W<T> a) { return 1; }\n"
           "template <typename T> int f(T a) { return 2; }\ntemplate <typename T> int f(W<W<T>> a) { return 3; }\n"
           "template <typename T, typename U> int g(W<T> a, U b) { return 4; }\ntemplate <typename T> int g(W<T> a, T b) { return 5; }\n"
           "kernel void k(device int *o) { W<int> a; W<W<int>> b; o[0] = f(1); o[1] = f(a); o[2] = f(b); o[3] = g(a, 1); o[4] = g(a, 1.0f); }",
           2, 1, 3, 5, 4);
    EXPECT("template <typename T, int N> int f(vec<T, N> x) { return 1; }\ntemplate <typename T> int f(vec<T, 2> x) { return 2; }\n"
           "template <typename T> int g(thread T &x) { return 3; }\ntemplate <typename T, int N> int g(thread T (&x)[N]) { return 4; }\n"
           "kernel void k(device int *o) { int a[3]; o[0] = f(int3(1)); o[1] = f(int2(1)); o[2] = g(a[0]); o[3] = g(a); }",
           1, 2, 3, 4);
    emu_refused("template <typename T> int f(T a, int b) { return 1; }\ntemplate <typename T> int f(int a, T b) { return 2; }\n"
                "kernel void k(device int *o) { o[0] = f(1, 2); }",
                "call of 'f' is ambiguous for (int, int)");
}

/* Inputs declared outside functions are each thread's, in kernels and in what they call. */
static void inputs_outside(void **state)
{
    (void)state;
    static const char body[] = "uint3 at [[thread_position_in_grid]];\nconst ushort lane [[thread_index_in_simdgroup]];\nuint2 group [[threadgroup_position_in_grid]];\n"
                               "int place() { return int(at.x * 10 + group.x); }\n"
                               "struct S { int get() const thread { return int(lane); } };\n"
                               "kernel void k(device int *o) { S s; o[at.x] = place() * 10 + s.get(); if (at.x == 5) o[6] = place(); }";
    int32_t out[7];
    emu_case c = {.groups = {3, 1, 1}, .threads = {2, 1, 1}, .buffers = {{out, sizeof out}}};
    emu_once(body, &c);
    for (int32_t i = 0; i < 6; ++i) assert_int_equal(out[i], (i * 10 + i / 2) * 10 + i % 2);
    assert_int_equal(out[6], 52);
    emu_refused("uint at [[thread_position_in_grid]]; kernel void k(device uint *o) { at = 1; o[0] = at; }", "cannot assign to this: it is const");
    emu_refused("float at [[thread_position_in_grid]]; kernel void k(device float *o) { o[0] = at; }", "[[thread_position_in_grid]] is uint or ushort");
    emu_refused("uint at [[thread_position_in_grid]]; constant uint b = at; kernel void k(device uint *o) { o[0] = b; }", "must be known before the kernel runs");
}

/* array's members, and bfloat's constants. */
static void library_arrays(void **state)
{
    (void)state;
    EXPECT("template <typename T, size_t N> int total(const thread array<T, N> &a) { int s = 0; for (T x : a) s += x; return s; }\n"
           "kernel void k(device int *o) { array<int, 4> a; a.fill(3); a.front() = 1; a.back() += 4; o[0] = total(a); o[1] = a.empty(); o[2] = int(a.size());\n"
           "  *(a.begin() + 1) = 9; o[3] = a[1]; o[4] = a.end() - a.begin(); const array<int, 4> b = a; o[5] = b.front() + b.back(); o[6] = M_PI_BF == bfloat(M_PI_F); }",
           14, 0, 4, 9, 4, 8, 1);
}

/* Packs folded from either side, with and without a start; by &&, || and "," also where there is nothing to fold. */
static void folds(void **state)
{
    (void)state;
    EXPECT("template <typename... T> int sum(T... t) { return (t + ...); } template <typename... T> int left(T... t) { return (... - t); }\n"
           "template <typename... T> int right(T... t) { return (t - ...); } template <typename... T> int from(T... t) { return (100 - ... - t); }\n"
           "template <typename... T> int to(T... t) { return (t - ... - 100); } template <typename... T> bool all(T... t) { return ((t > 0) && ...); }\n"
           "template <typename... T> int shifted(T... t) { return (1024 >> ... >> t); } template <int... N> int total() { return (0 + ... + N); }\n"
           "template <typename T, typename... Ts> constexpr bool same = (is_same_v<T, Ts> && ...);\n"
           "template <typename... T> void put(device int *o, T... t) { int i = 0; ((o[i++] = t), ...); }\n"
           "template <typename... T> void add(thread int &a, T... t) { (a += ... += t); }\n"
           "template <typename... T> int more(T... t) { return (sum(t, sizeof...(t)) + ...) * (sizeof...(t)); }\n"
           "struct V { int x; V operator*(V o) const { return V{x * 10 + o.x}; } }; template <typename... T> int own(T... t) { return (V{0} * ... * V{t}).x; }\n"
           "kernel void k(device int *o) { put(o, 7, 8); put(o); o[2] = sum(1, 2, 3); o[3] = left(1, 2, 3); o[4] = right(1, 2, 3); o[5] = from(1, 2, 3); o[6] = to(1, 2, 3);\n"
           "  o[7] = all(1, 2, -1) * 10 + all(); o[8] = shifted(1, 2); o[9] = same<int, int, int> * 10 + same<int, float>; int a = 5; add(a, 1, 2); o[10] = a;\n"
           "  o[11] = total<4, 5, 6>() * 10 + total<>(); o[12] = more(1, 2); o[13] = own(4, 5, 6); }",
           7, 8, 6, -4, 2, 94, -98, 1, 128, 10, 8, 150, 14, 456);
    emu_refused("template <typename... T> int f(T... t) { return (t + ...); } kernel void k(device int *o) { o[0] = f(); }", "a pack of nothing is folded");
    emu_refused("template <typename... T> int f(T... t) { return (t * 2 + ...); } kernel void k(device int *o) { o[0] = f(1); }", "stands in parentheses");
    emu_refused("template <typename... T> int f(T... t) { return (t + ... - 1); } kernel void k(device int *o) { o[0] = f(1); }", "folded by one operator");
    emu_refused("int f(int t) { return (t + ...); } kernel void k(device int *o) { o[0] = f(1); }", "no pack to fold");
}

/* Names for the parts of records, arrays and vectors: copies, or places where it is a reference. */
static void bindings(void **state)
{
    (void)state;
    EXPECT("struct P { int a; float2 v; int b[2]; }; P made(int x) { return P{x, float2(x + 1, x + 2), {x + 3, x + 4}}; }\n"
           "kernel void k(device int *o, constant array<int, 2> &c) { auto [a, v, b] = made(10); o[0] = a; o[1] = int(v.y); o[2] = b[1]; a = 5; v.x = 3; o[3] = a + int(v.x);\n"
           "  int m[3] = {1, 2, 3}; auto [x, y, z] = m; m[1] = 50; y += 1; o[4] = x * 100 + y * 10 + z; auto &[r, s, t] = m; s += r + t; o[5] = m[1];\n"
           "  float2 w(6, 7); auto [p, q] = w; p += 1; o[6] = int(p * 10 + q); o[7] = int(w.x); const auto [g, h] = array<int, 2>{4, 9}; o[8] = g * 10 + h;\n"
           "  P n = made(1); auto &[na, nv, nb] = n; na = 77; nb[0] = 66; o[9] = n.a + n.b[0]; for (int i = 0; i < 2; ++i) { auto [f] = array<int, 1>{i}; o[10] += f + 1; } }",
           10, 12, 14, 8, 133, 54, 77, 6, 49, 143, 3);
    emu_refused("kernel void k(device int *o) { int m[2] = {}; auto [a] = m; o[0] = a; }", "has 2 parts, and 1 names are given");
    emu_refused("kernel void k(device int *o) { auto [a, b] = 5; o[0] = a; }", "cannot be taken apart");
    emu_refused("kernel void k(device int *o) { const int m[2] = {}; auto &[a, b] = m; a = 3; }", "it is const");
    emu_refused("kernel void k(device int *o) { int m[2] = {}; const auto [a, b] = m; a = 3; }", "it is const");
    emu_refused("kernel void k(device int *o) { int m[2] = {}; auto [a, a] = m; }", "'a' is already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_special), cmocka_unit_test(inputs_outside),
        cmocka_unit_test(templates),
        cmocka_unit_test(captured_arrays),
        cmocka_unit_test(empty_values),
        cmocka_unit_test(members),
        cmocka_unit_test(initialisers_and_loops),
        cmocka_unit_test(matrices),
        cmocka_unit_test(function_constants),
        cmocka_unit_test(conditions),
        cmocka_unit_test(lambdas),
        cmocka_unit_test(scopes),
        cmocka_unit_test(library_types),
        cmocka_unit_test(library_arrays),
        cmocka_unit_test(folds),
        cmocka_unit_test(bindings),
        cmocka_unit_test(own_calls),
        cmocka_unit_test(copies),
        cmocka_unit_test(nested_lambdas),
        cmocka_unit_test(choices),
        cmocka_unit_test(limits_and_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
