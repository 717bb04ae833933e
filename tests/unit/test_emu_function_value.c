/* labels: quick */
/* Functions as values: in variables, arrays, structures, parameters and constant tables; each kernel's numbers are worked out by hand. */
#include "emu_help.h"

#define HEAD                                                                                             \
    "typedef int (*binop)(int, int); using unop = int (*)(int);\n"                                       \
    "int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; } int mul(int a, int b) { return a * b; }\n" \
    "float add(float a, float b) { return a + b; } int neg(int x) { return -x; }\n"                      \
    "template <typename T> T twice(T x) { return x + x; }\n"

static void expect(const char *body, const int32_t *want, size_t n)
{
    int32_t out[8] = {0}, w[4] = {1, 2, 0, 1};
    emu_case c = {.threads = {4, 1, 1}, .buffers = {{out, sizeof out}, {w, sizeof w}}};
    emu_once(body, &c);
    for (size_t i = 0; i < n; ++i)
        if (out[i] != want[i]) fail_msg("%s\n[%zu] is %d, not %d", body, i, out[i], want[i]);
}
#define EXPECT(body, ...)                                         \
    do {                                                          \
        const int32_t want_[] = {__VA_ARGS__};                    \
        expect(HEAD body, want_, sizeof want_ / sizeof want_[0]); \
    } while (0)

/* One thread's kernel. */
#define KERNEL(text) "kernel void k(device int *o [[buffer(0)]], constant int *w [[buffer(1)]], uint i [[thread_position_in_grid]]) { if (i == 0) { " text " } }"

static void values(void **state)
{
    (void)state;
    EXPECT(KERNEL("binop f = add; o[0] = f(2, 3); f = mul; o[1] = (*f)(4, 5); f = &sub; o[2] = f(9, 4);"), 5, 20, 5);
    EXPECT(KERNEL("auto f = twice<int>; auto g = twice<float>; o[0] = f(4); o[1] = int(g(1.5f)); o[2] = (neg)(3);"), 8, 3, -3);
    EXPECT(KERNEL("int (*all[3])(int, int) = {add, sub, mul}; int s = 0; for (int j = 0; j < 3; ++j) s = s * 100 + all[j](10, 2); o[0] = s;"), 120820);
    EXPECT("struct Ops { binop f; unop g; };" KERNEL("Ops s = {mul, neg}; Ops t = s; t.g = twice; o[0] = s.f(3, 4) + s.g(1); o[1] = t.g(7);"), 11, 14);
    EXPECT(KERNEL("binop none = nullptr; o[0] = none == nullptr; o[1] = none ? 1 : 2; none = mul; o[2] = none != nullptr && none == mul && !(none == sub);"), 1, 2, 1);
    EXPECT("void bump(thread int &x, int by) { x += by; }" KERNEL("void (*b)(thread int &, int) = bump; int q = 1; b(q, 5); o[0] = q;"), 6);
    EXPECT(KERNEL("binop f = w[0] == 1 ? sub : mul; o[0] = f(8, 3);"), 5);
}

static void handed_on(void **state)
{
    (void)state;
    EXPECT("int apply(binop f, int a, int b) { return f(a, b); } template <typename F> int call(F f, int x) { return f(x); }\n" KERNEL(
               "o[0] = apply(add, 1, 2) + apply(&mul, 3, 4); o[1] = call(neg, 6); o[2] = call(twice<int>, 8); o[3] = call([](int x) { return x + 1; }, 1);"),
           15, -6, 16, 2);
    EXPECT("binop choose(int n) { return n == 0 ? sub : mul; }\n" KERNEL("o[0] = choose(0)(7, 2); o[1] = choose(w[1])(7, 2);"), 5, 14);
    EXPECT("template <unop F> int both(int x) { unop f = F; return f(F(x)); }\n" KERNEL("o[0] = both<neg>(5); o[1] = both<twice<int>>(5);"), 5, 20);
    EXPECT("constant binop table[] = {add, sub, mul};\n" KERNEL("o[0] = table[1](7, 3); o[1] = table[w[1]](7, 3);"), 4, 21);
}

/* Each thread its own function: the threads of a simdgroup part. */
static void by_thread(void **state)
{
    (void)state;
    EXPECT("constant binop table[] = {add, sub, mul};\n"
           "kernel void k(device int *o [[buffer(0)]], constant int *w [[buffer(1)]], uint i [[thread_position_in_grid]]) { o[i] = table[w[i]](int(i) + 5, 2); }",
           3, 12, 9, 6);
}

static void refused(void **state)
{
    (void)state;
    emu_refused(HEAD "kernel void k(device int *o) { auto f = add; o[0] = f(1, 2); }", "which function 'add' is meant is not clear here");
    emu_refused(HEAD "kernel void k(device int *o) { binop f = neg; o[0] = f(1, 2); }", "cannot initialise with 'int(int)' as 'int(int, int)'");
    emu_refused(HEAD "kernel void k(device int *o) { binop f = sub; o[0] = f(1); }", "a function 'int(int, int)' takes 2 arguments, not 1");
    emu_refused(HEAD "kernel void k(device int *o) { binop f = sub; o[0] = f < mul; }", "'<' does not take");
    emu_refused("kernel void a(device int *o) {} kernel void k(device int *o) { auto f = a; f(o); }", "a kernel as a value is not supported");
    emu_refused(HEAD "typedef int (*self)(int); int down(int x) { self f = down; return x == 0 ? 0 : f(x - 1); } kernel void k(device int *o) { o[0] = down(3); }",
                "recursion does not exist in MSL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(handed_on), cmocka_unit_test(by_thread), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
