/* Mistakes that people make: each program's first complaint, its place and words. */
#include "mslfront_help.h"

typedef struct mistake {
    const char *text, *first; /* line 1 of the program is "using namespace metal;" */
} mistake;

static const mistake errors[] = {
    {"kernel void k(float *a [[buffer(0)]]) { a[0] = 1; }",
     "2:21: error: a pointer needs an address space: device, constant, threadgroup or thread"},
    {"kernel void k(constant float *a) { a[0] = 1; }",
     "2:36: error: cannot assign to this: it lies in the constant address space"},
    {"void f(device float *p) {}\nkernel void k(device float *a) { threadgroup float t[4]; f(t); }",
     "3:60: error: cannot pass 'threadgroup float *' as 'device float *': the address spaces differ"},
    {"void f(thread float *p) {}\nkernel void k(device float *a) { f(a); }",
     "3:36: error: cannot pass 'device float *' as 'thread float *': the address spaces differ"},
    {"void f(float &x) { x = 1; }\nkernel void k(device float *a) { float y; f(y); a[0] = y; }",
     "2:14: error: a reference needs an address space: device, constant, threadgroup or thread"},
    {"kernel void k(const device float *a) { a[0] = 1; }",
     "2:40: error: cannot assign to this: it is const"},
    {"kernel void k(device float *a) { const float x = 1; x = 2; a[0] = x; }",
     "2:53: error: cannot assign to this: it is const"},
    {"kernel void k(device half *a) { a[0] = max(a[0], 0.0f); }",
     "2:40: error: call of 'max' is ambiguous for (half, float)"},
    {"kernel void k(device uint *a) { a[0] = min(a[0], 3); }",
     "2:40: error: call of 'min' is ambiguous for (uint, int)"},
    {"kernel void k(device float *a, float i [[thread_position_in_grid]]) { a[0] = i; }",
     "2:38: error: [[thread_position_in_grid]] is uint or ushort or a vector of 2 or 3 of them, not 'float'"},
    {"kernel void k(device float *a, int i [[thread_position_in_grid]]) { a[0] = i; }",
     "2:36: error: [[thread_position_in_grid]] is uint or ushort or a vector of 2 or 3 of them, not 'int'"},
    {"kernel void k(device float *a, uint i [[threadposition_in_grid]]) { a[0] = i; }",
     "2:41: error: unknown attribute 'threadposition_in_grid'; did you mean 'thread_position_in_grid'?"},
    {"kernel void k(device float *a [[buffer(0)]], device float *b [[buffer(0)]]) { a[0] = b[0]; }",
     "2:60: error: slot 0 is given to 'a' already"},
    {"kernel void k(device float *a [[buffer(31)]]) { a[0] = 1; }",
     "2:33: error: slot 31 is out of range: there are 31, from 0"},
    {"kernel void k(device float *a, uint n) { a[0] = n; }",
     "2:37: error: the parameter 'n' of a kernel needs an attribute that says what it is given"},
    {"kernel int k(device float *a) { a[0] = 1; return 1; }",
     "2:12: error: a kernel returns void, not 'int'"},
    {"kernel void k(device float *a) { float *p = new float[4]; a[0] = p[0]; }",
     "2:40: error: a pointer needs an address space: device, constant, threadgroup or thread"},
    {"kernel void k(device float *a) { thread float *p = new float; delete p; }",
     "2:52: error: 'new' is not supported"},
    {"struct B { virtual float f() { return 1; } };\nkernel void k(device float *a) { B b; a[0] = b.f(); }",
     "2:12: error: 'virtual' is not supported: no function is chosen by an object's kind at run time in MSL"},
    {"kernel void k(device float *a) { try { a[0] = 1; } catch (...) { } }",
     "2:34: error: 'try' is not supported: exceptions do not exist in MSL"},
    {"kernel void k(device float *a) { throw 1; }",
     "2:34: error: 'throw' is not supported"},
    {"kernel void k(device int *a) { static int n = 0; a[0] = n++; }",
     "2:32: error: a static variable in a function must be 'constant'"},
    {"int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nkernel void k(device int *a) { a[0] = f(4); }",
     "2:5: error: 'f' calls itself, and recursion does not exist in MSL"},
    {"struct B { int x; }; struct D : B { int y; };\nkernel void k(device int *a) { D d; thread B *b = &d; thread D *e = dynamic_cast<thread D *>(b); a[0] = e->y; }",
     "3:69: error: 'dynamic_cast' is not supported"},
    {"kernel void k(device float *a) { a[0] = std::max(1.0f, 2.0f); }",
     "2:41: error: 'std' is not declared; C++'s standard library does not exist in MSL, but namespace metal has some of it"},
    {"kernel void k(device double *a) { a[0] = 1.0; }",
     "2:22: error: 'double' does not exist in MSL"},
    {"kernel void k(device float *a) { double x = 1.0; a[0] = x; }",
     "2:34: error: 'double' does not exist in MSL"},
    {"kernel void k(device float *a) { long long x = 1; a[0] = x; }",
     "2:34: error: 'long long' does not exist in MSL; 'long' has 64 bits"},
    {"kernel void k(device float *a) { printf(\"%f\", a[0]); }",
     "2:34: error: 'printf' is not declared; <metal_logging> has os_log"},
    {"kernel void k(device atomic_int *a) { a[0] = 1; }",
     "2:39: error: an atomic cannot be assigned; there is atomic_store_explicit()"},
    {"kernel void k(device atomic_int *a) { a[0]++; }",
     "2:39: error: '++' does not take 'atomic_int'; there is atomic_fetch_add_explicit() and its like"},
    {"kernel void k(device int *a) { atomic_fetch_add_explicit(a, 1, memory_order_relaxed); }",
     "2:32: error: no function 'atomic_fetch_add_explicit' takes (device int *, int, memory_order)"},
    {"kernel void k(device atomic_int *a) { atomic_fetch_add(a, 1); }",
     "2:39: error: 'atomic_fetch_add' is not declared; there is atomic_fetch_add_explicit()"},
    {"kernel void k(device float4 *a) { a[0].xx = float2(1); }",
     "2:35: error: cannot assign to this: an element stands in it twice"},
    {"kernel void k(device float4 *a) { a[0].q = 1; }",
     "2:40: error: 'q' names no elements of 'float4'"},
    {"kernel void k(device float2 *a) { a[0].z = 1; }",
     "2:40: error: 'float2' has no element 'z'"},
    {"kernel void k(device float4 *a) { float3 x = a[0]; a[0] = float4(x, 1); }",
     "2:46: error: cannot initialise with 'float4' as 'float3'"},
    {"kernel void k(device float4 *a) { a[0] = float4(1, 2, 3); }",
     "2:42: error: 'float4' has 4 elements, not 3"},
    {"kernel void k(device float4 *a) { a[0] = float4(1, 2, 3, 4, 5); }",
     "2:42: error: 'float4' has 4 elements, not 5"},
    {"kernel void k(device float *a) { float x = \"abc\"; a[0] = x; }",
     "2:44: error: cannot initialise with 'constant char *' as 'float'"},
    {"kernel void k(device float *a) { a[0] = 1 }",
     "2:43: error: expected ';' after the expression"},
    {"kernel void k(device float *a) { a[0] = foo(1); }",
     "2:41: error: 'foo' is not declared"},
    {"kernel void k(device float *a) { a[0] = blah; }",
     "2:41: error: 'blah' is not declared"},
    {"kernel void k(device float *a) { flaot x = 1; a[0] = x; }",
     "2:34: error: 'flaot' is not declared; did you mean 'float'?"},
    {"kernel void k(device float *a) { for (int i = 0; i < 4; i++ { a[i] = 1; } }",
     "2:61: error: expected ')' after the loop's head"},
    {"kernel void k(device float *a { a[0] = 1; }",
     "2:31: error: expected ')' after the parameters"},
    {"struct S { float x };\nkernel void k(device S *a) { a[0].x = 1; }",
     "2:20: error: expected ';' after the member"},
    {"struct S { float x; }\nkernel void k(device S *a) { a[0].x = 1; }",
     "2:21: error: expected ';' after the struct or enumeration"},
    {"kernel void k(device float *a) { float x; int x; a[0] = x; }",
     "2:47: error: 'x' is already declared in this scope"},
    {"float f(float x) { return x; }\nkernel void k(device float *a) { a[0] = f(1, 2); }",
     "3:41: error: no function 'f' takes (int, int)"},
    {"float f(thread float *x) { return *x; }\nkernel void k(device float *a) { float y = 1; a[0] = f(y); }",
     "3:56: error: cannot pass 'float' as 'thread float *'; its address, by '&', may be meant"},
    {"kernel void k(device float *a) { a.x = 1; }",
     "2:34: error: 'device float *' has no members; for a pointer use '->'"},
    {"struct S { int x; };\nkernel void k(device S *a) { a.x = 1; }",
     "3:30: error: 'device S *' has no members; for a pointer use '->'"},
    {"struct S { int x; };\nkernel void k(device S *a) { a[0]->x = 1; }",
     "3:30: error: '->' needs a pointer, not 'S'; '.' may be meant"},
    {"kernel void k(device float *a) { threadgroup float t[n]; t[0] = 1; }",
     "2:54: error: 'n' is not declared"},
    {"kernel void k(device float *a, constant int &n) { float t[n]; t[0] = 1; a[0] = t[0]; }",
     "2:59: error: an array's length must be a constant integer"},
    {"kernel void k(device float *a) { int x = 1; switch (x) { case 1: break; case 1: break; } }",
     "2:73: error: the case 1 stands twice"},
    {"kernel void k(device float *a) { break; }",
     "2:34: error: 'break' stands in no loop"},
    {"template <typename T> T f(T a, T b) { return a; }\nkernel void k(device float *a) { a[0] = f(1, 2.0f); }",
     "3:41: error: no function 'f' takes (int, float)"},
    {"template <typename T> T f(T a) { return a.foo; }\nkernel void k(device float *a) { a[0] = f(1.0f); }",
     "2:41: error: 'float' has no members"},
    {"template <int N> int f() { return N; }\nkernel void k(device int *a) { a[0] = f<1.5>(); }",
     "3:39: error: no function 'f' takes ()"},
    {"template <typename T, int N> struct A { T x[N]; };\nkernel void k(device int *a) { A<int> b; a[0] = b.x[0]; }",
     "3:32: error: nothing says what the template's parameter 'N' is"},
    {"kernel void k(texture2d<float> t, device float *a) { t.write(float4(1), uint2(0)); }",
     "2:54: error: only a texture with access::write or access::read_write can be written"},
    {"kernel void k(texture2d<float, access::write> t, device float *a) { a[0] = t.read(uint2(0)).x; }",
     "2:76: error: a texture with access::write cannot be read"},
    {"kernel void k(texture2d<float, access::read> t [[texture(0)]], sampler s [[sampler(0)]], device float *a) { a[0] = t.sample(s, float2(0)).x; }",
     "2:116: error: only a texture with access::sample can be sampled"},
    {"kernel void k(device float *a) { simdgroup_float8x8 m; m = 1.0f; }",
     "2:60: error: cannot assign 'float' as 'simdgroup_float8x8'"},
    {"kernel void k(device float *a) { threadgroup_barrier(); }",
     "2:34: error: no function 'threadgroup_barrier' takes ()"},
    {"kernel void k(device float *a) { threadgroup_barrier(mem_threadgroup); }",
     "2:54: error: 'mem_threadgroup' is not declared; it is mem_flags::mem_threadgroup"},
    {"kernel void k(device float *a) { threadgroup_barrier(mem_flags::threadgroup); }",
     "2:65: error: expected a name after '::'"},
    {"kernel void k(device float *a, uint i [[thread_index_in_simdgroup]]) { a[i] = simd_shuffle(a[i], 1, 2); }",
     "2:79: error: no function 'simd_shuffle' takes (float, int, int)"},
    {"kernel void k(device float *a) { float x = 1.0; a[0] = x << 2; }",
     "2:56: error: '<<' does not take 'float' and 'int'"},
    {"kernel void k(device float *a) { float x = 5 % 2.0f; a[0] = x; }",
     "2:44: error: '%' does not take 'int' and 'float'; for floats there is fmod()"},
    {"kernel void k(device float *a) { float x = !float2(1); a[0] = x; }",
     "2:44: error: '!' does not take 'float2'"},
    {"kernel void k(device float *a) { bool2 b = bool2(true); if (b) a[0] = 1; }",
     "2:61: error: a condition must be a scalar, not 'bool2'; any() or all() may be meant"},
    {"kernel void k(device bfloat *a, device half *b) { a[0] = a[0] + b[0]; }",
     "2:58: error: '+' does not take 'bfloat' and 'half'; convert one of them"},
    {"kernel void k(device float *a) { auto x; a[0] = 1; }",
     "2:39: error: 'auto' needs '=' and a value"},
    {"kernel void k(device float *a) { int x = 5; int &y = x; y = 3; a[0] = x; }",
     "2:49: error: a reference needs an address space: device, constant, threadgroup or thread"},
    {"kernel void k(device float *a) { device float *p = a; threadgroup float *q = p; a[0] = *q; }",
     "2:78: error: cannot initialise with 'device float *' as 'threadgroup float *': the address spaces differ"},
    {"kernel void k(device float *a) { thread float *q = (thread float *)a; a[0] = *q; }",
     "2:52: error: cannot cast 'device float *' to 'thread float *': the address spaces differ"},
    {"float g = 1.0f;\nkernel void k(device float *a) { a[0] = g; }",
     "2:7: error: a variable outside functions must lie in the constant address space"},
    {"constant float g;\nkernel void k(device float *a) { a[0] = g; }",
     "2:16: error: the constant 'g' needs an initialiser"},
    {"constant int n [[function_constant(0)]] = 3;\nkernel void k(device int *a) { a[0] = n; }",
     "2:41: error: a function constant has no initialiser: its value is given when a function is made of the library"},
    {"kernel void k(device float *a) { float2 x = float2(1, 2); float y = x; a[0] = y; }",
     "2:69: error: cannot initialise with 'float2' as 'float'"},
    {"kernel void a(device float *x) {}\nkernel void a(device float *x) {}",
     "3:13: error: 'a' is defined twice"},
    {"kernel void k(device float *a) { unknown_type<float> x; }",
     "2:34: error: 'unknown_type' is not declared"},
    {"kernel void k(device float *a) { uint3 t = thread_position_in_grid; a[t.x] = 1; }",
     "2:44: error: 'thread_position_in_grid' is not declared; [[thread_position_in_grid]] on a kernel's parameter gives it"},
};

static const mistake warnings[] = {
    {"kernel void k(device float *a) { int x{1.5f}; a[0] = x; }",
     "2:40: warning: 'float' is narrowed to 'int' within braces, which C++ takes for an error: write the conversion"},
    {"kernel void k(device float *a) { uchar x[2] = {1, 300}; a[0] = x[1]; }",
     "2:51: warning: 'int' is narrowed to 'uchar' within braces, which C++ takes for an error: write the conversion"},
    {"int f(int x) { if (x > 0) return 1; }\nkernel void k(device int *a) { a[0] = f(1); }",
     "2:5: warning: 'f' does not return a value on every path"},
    {"kernel void k(device float *a) { if (a[0] = 1) a[1] = 2; }",
     "2:38: warning: an assignment as a condition; '==' may be meant (brackets around it say that it is not)"},
};

/* Reads a program behind the usual line. */
static void read_program(msl_case *c, const char *text)
{
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "using namespace metal;\n%s\n", text);
    msl_read(c, whole);
}

static void expect_first(const mistake *m, bool reads)
{
    msl_case c = {0};
    read_program(&c, m->text);
    if ((c.unit != NULL) != reads) fail_msg("%s: %s", m->text, reads ? "is not read" : "is read");
    const str head = {c.complaints.p, strcspn(c.complaints.p, "\n")};
    const str want = str_format(&c.mem, "t.metal:%s", m->first);
    if (!str_eq(head, want)) fail_msg("wanted %s\ngot:\n%s", want.p, c.complaints.p);
    msl_done(&c);
}

static void wrong_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i) expect_first(&errors[i], false);
}

static void doubtful_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof warnings / sizeof warnings[0]; ++i) expect_first(&warnings[i], true);
}

/* What is not said: conversions in braces that lose nothing, brackets around an assignment, names that are far from any other. */
static void nothing_to_say(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "kernel void k(device float *a) { uchar x[2] = {1, 255}; float f{2}; half h[1] = {0.5f}; int n{'a'}; a[0] = x[1] + f + h[0] + n; }",
        "kernel void k(device float *a) { int n = 3; long m{n}; float x[2] = {1.0f, half(2)}; a[0] = m + x[1]; }",
        "kernel void k(device float *a) { float x = 0; if ((x = a[0])) a[1] = x; while ((x = a[1])) a[1] = 0; }",
        ("struct B { int x; }; struct D : B { int y; }; int f(thread B *b) { return b->x; }\n"
         "kernel void k(device int *a) { D d; d.x = 1; thread B *b = &d; a[0] = f(&d) + static_cast<thread D *>(b)->x; }"),
    };
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; ++i) {
        msl_case c = {0};
        read_program(&c, fine[i]);
        if (c.unit == NULL || c.complaints.n != 0) fail_msg("%s\n%s", fine[i], c.complaints.p);
        msl_done(&c);
    }
}

/* The second line of what is said to a call of a template. */
static void notes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *note;
    } cases[] = {
        {"template <typename T> T f(T a, T b) { return a; } kernel void k(device float *a) { a[0] = f(1, 2.0f); }",
         "candidate not viable: its parameter 'T' would be both 'int' and 'float'"},
        {"template <typename T> T f(T a, T b) { return a; } kernel void k(device float *a) { a[0] = f(1); }",
         "candidate not viable: it takes 2 arguments, not 1"},
        {"template <int N> int f(thread int (&x)[N], thread int (&y)[N]) { return N; } kernel void k(device int *a) { int x[2], y[3]; a[0] = f(x, y); }",
         "candidate not viable: its parameter 'N' would be both '2' and '3'"},
        {"int f(thread int *x) { return *x; } int f(float2 x) { return 1; } kernel void k(device int *a) { a[0] = f(a); }",
         "candidate not viable: argument 1, 'device int *', does not go to 'thread int *'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        msl_case c = {0};
        read_program(&c, cases[i].text);
        assert_null(c.unit);
        if (strstr(c.complaints.p, cases[i].note) == NULL) fail_msg("'%s' is not in %s", cases[i].note, c.complaints.p);
        msl_done(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_programs), cmocka_unit_test(doubtful_programs), cmocka_unit_test(nothing_to_say),
                                       cmocka_unit_test(notes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
