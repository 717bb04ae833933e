/* labels: full */
/* The software device: floats. Operations are exact against double and integer references; elementary functions keep
 * their stated error against the C library in double, and give the same bits on every instruction set. */
#include <math.h>

#include "emu_help.h"

#include "base/num.h"

enum { MANY = 1 << 16 };

/* Inputs that matter: all exponents, edges, halves, and a great many others. */
static float *inputs(size_t n, uint32_t seed)
{
    static const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 0x1p-149f, -0x1p-149f,
                                  0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f, INFINITY, -INFINITY, NAN, 88.7228f, -103.97f,
                                  0x1p23f, 8388607.5f, 2147483648.0f, -2147483648.0f, 4294967296.0f, 0.9999999f, 3.1415927f};
    float *f = malloc(n * sizeof *f);
    assert_non_null(f);
    uint32_t state = seed;
    for (size_t i = 0; i < n; ++i) {
        const uint32_t r = emu_random(&state);
        if (i < sizeof edges / sizeof *edges) f[i] = edges[i];
        else if (i % 3 == 0) f[i] = num_bits_float(r);
        else f[i] = (float)((int32_t)r) * 0x1p-31f * (float)(1 << (i % 12));
    }
    return f;
}

typedef struct function {
    const char *text;
    double (*expected)(double x, double y);
    double ulps; /* 0.5 means correctly rounded */
} function;

static double e_add(double x, double y) { return x + y; }
static double e_sub(double x, double y) { return x - y; }
static double e_mul(double x, double y) { return x * y; }
static double e_div(double x, double y) { return x / y; }
static double e_neg(double x, double y) { (void)y; return -x; }
static double e_abs(double x, double y) { (void)y; return fabs(x); }
static double e_sqrt(double x, double y) { (void)y; return sqrt(x); }
static double e_rsqrt(double x, double y) { (void)y; return 1 / sqrt(x); }
static double e_floor(double x, double y) { (void)y; return floor(x); }
static double e_ceil(double x, double y) { (void)y; return ceil(x); }
static double e_trunc(double x, double y) { (void)y; return trunc(x); }
static double e_round(double x, double y) { (void)y; return round(x); }
static double e_rint(double x, double y) { (void)y; return rint(x); }
static double e_min(double x, double y) { return fmin(x, y); }
static double e_max(double x, double y) { return fmax(x, y); }
static double e_exp(double x, double y) { (void)y; return exp(x); }
static double e_exp2(double x, double y) { (void)y; return exp2(x); }
static double e_exp10(double x, double y) { (void)y; return pow(10, x); }
static double e_log(double x, double y) { (void)y; return log(x); }
static double e_log2(double x, double y) { (void)y; return log2(x); }
static double e_log10(double x, double y) { (void)y; return log10(x); }
static double e_sin(double x, double y) { (void)y; return sin(x); }
static double e_cos(double x, double y) { (void)y; return cos(x); }
static double e_tan(double x, double y) { (void)y; return tan(x); }
static double e_asin(double x, double y) { (void)y; return asin(x); }
static double e_acos(double x, double y) { (void)y; return acos(x); }
static double e_atan(double x, double y) { (void)y; return atan(x); }
static double e_sinh(double x, double y) { (void)y; return sinh(x); }
static double e_cosh(double x, double y) { (void)y; return cosh(x); }
static double e_tanh(double x, double y) { (void)y; return tanh(x); }
static double e_asinh(double x, double y) { (void)y; return asinh(x); }
static double e_acosh(double x, double y) { (void)y; return acosh(x); }
static double e_atanh(double x, double y) { (void)y; return atanh(x); }
static double e_atan2(double x, double y) { return atan2(x, y); }
static double e_pow(double x, double y) { return pow(x, y); }
static double e_fmod(double x, double y) { return fmod(x, y); }
static double e_copysign(double x, double y) { return copysign(x, y); }
static double e_fdim(double x, double y) { return isnan(x) || isnan(y) ? (double)NAN : x > y ? x - y : 0; }
static double e_step(double x, double y) { return y < x ? 0 : 1; }
static double e_sign(double x, double y) { (void)y; return x > 0 ? 1 : x < 0 ? -1 : isnan(x) ? 0 : x; }
static double e_fract(double x, double y)
{
    (void)y;
    const double f = x - floor(x);
    return isnan(f) ? f : fmin((double)(float)f, 0x1.fffffep-1);
}
static double e_sinpi(double x, double y)
{
    (void)y;
    if (isinf(x)) return (double)NAN;
    const double r = fmod(x, 2); /* exact */
    return fabs(r) == 1 || r == 0 ? 0 * x : sin(r * 3.14159265358979323846);
}
static double e_cospi(double x, double y)
{
    (void)y;
    if (isinf(x)) return (double)NAN;
    const double r = fabs(fmod(x, 2));
    if (r == 0.5 || r == 1.5) return 0;
    return r < 0.75 || r > 1.25 ? cos(r * 3.14159265358979323846) : -cos((r - 1) * 3.14159265358979323846);
}

static const function functions[] = {
    {"x + y", e_add, 0.5},          {"x - y", e_sub, 0.5},          {"x * y", e_mul, 0.5},
    {"x / y", e_div, 0.5},          {"-x", e_neg, 0.5},             {"abs(x)", e_abs, 0.5},
    {"fabs(x)", e_abs, 0.5},        {"sqrt(x)", e_sqrt, 0.5},       {"rsqrt(x)", e_rsqrt, 1.5},
    {"floor(x)", e_floor, 0.5},     {"ceil(x)", e_ceil, 0.5},       {"trunc(x)", e_trunc, 0.5},
    {"round(x)", e_round, 0.5},     {"rint(x)", e_rint, 0.5},       {"min(x, y)", e_min, 0.5},
    {"max(x, y)", e_max, 0.5},      {"fmin(x, y)", e_min, 0.5},     {"fmax(x, y)", e_max, 0.5},
    {"exp(x)", e_exp, 2},           {"exp2(x)", e_exp2, 2},         {"exp10(x)", e_exp10, 2},
    {"log(x)", e_log, 0.51},        {"log2(x)", e_log2, 0.51},      {"log10(x)", e_log10, 0.51},
    {"sin(x)", e_sin, 0.51},        {"cos(x)", e_cos, 0.51},        {"tan(x)", e_tan, 0.51},
    {"asin(x)", e_asin, 0.51},      {"acos(x)", e_acos, 0.51},      {"atan(x)", e_atan, 0.51},
    {"sinh(x)", e_sinh, 0.51},      {"cosh(x)", e_cosh, 0.51},      {"tanh(x)", e_tanh, 2},
    {"asinh(x)", e_asinh, 0.51},    {"acosh(x)", e_acosh, 0.51},    {"atanh(x)", e_atanh, 0.51},
    {"atan2(x, y)", e_atan2, 0.51}, {"pow(x, y)", e_pow, 0.51},     {"fmod(x, y)", e_fmod, 0.5},
    {"copysign(x, y)", e_copysign, 0.5}, {"fdim(x, y)", e_fdim, 0.5}, {"step(x, y)", e_step, 0.5},
    {"sign(x)", e_sign, 0.5},       {"fract(x)", e_fract, 0.5},     {"sinpi(x)", e_sinpi, 0.51},
    {"cospi(x)", e_cospi, 0.51},    {"divide(x, y)", e_div, 0.5},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The error in units in the last place of the float nearest to the exact value. */
static double error_in_ulps(float got, double want)
{
    const float near = (float)want;
    const double infinite = (double)INFINITY;
    if (isnan(want)) return isnan(got) ? 0 : infinite;
    if (isinf(near) || isinf(got)) return got == near ? 0 : infinite;
    if (want == 0 || near == 0) {
        if (got == near) return (signbit(got) != 0) == (signbit(near) != 0) ? 0 : infinite;
        return fabs((double)got - want) / 0x1p-149;
    }
    int e;
    (void)frexp(want, &e);
    if (e < -125) e = -125;
    return fabs((double)got - want) / ldexp(1, e - 24);
}

static emu_library *all_functions(const char *type)
{
    buf text = buf_make(&mem_default);
    for (size_t i = 0; i < FUNCTIONS; ++i)
        buf_printf(&text,
                   "kernel void k%zu(device const %s *a, device const %s *b, device %s *out, "
                   "uint g [[thread_position_in_grid]]) { %s x = a[g], y = b[g]; out[g] = %s; }\n",
                   i, type, type, type, type, functions[i].text);
    buf_char(&text, 0);
    emu_library *l = emu_text(text.p);
    buf_free(&text);
    return l;
}

static void run_function(emu_library *l, size_t i, const emu_case *c)
{
    char name[16];
    (void)snprintf(name, sizeof name, "k%zu", i);
    emu_must(l, name, c);
}

/* min and max of two zeros may be either: they compare equal. */
static bool either_zero(const function *f, float got, double want)
{
    return (f->expected == e_min || f->expected == e_max) && got == 0 && want == 0;
}

static void test_functions(void **state)
{
    (void)state;
    float *a = inputs(MANY, 1), *b = inputs(MANY, 77);
    /* all pairs of edges too */
    for (size_t i = 0; i < 26 * 26; ++i) {
        a[1000 + i] = a[i % 26];
        b[1000 + i] = b[i / 26];
    }
    float *out = malloc(MANY * sizeof *out), *first = malloc(MANY * sizeof *first);
    assert_non_null(out);
    assert_non_null(first);
    const size_t bytes = MANY * sizeof(float);
    const emu_case c = {.groups = {MANY / 256}, .threads = {256}, .buffers = {{a, bytes}, {b, bytes}, {out, bytes}}};
    emu_library *l = all_functions("float");
    for (size_t i = 0; i < FUNCTIONS; ++i) {
        const function *f = &functions[i];
        for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
            emu_isa_select(l, isa);
            run_function(l, i, &c);
            if (isa == 0) memcpy(first, out, bytes);
            double worst = 0;
            for (size_t k = 0; k < MANY; ++k) {
                const double want = f->expected((double)a[k], (double)b[k]);
                const double error = either_zero(f, out[k], want) ? 0 : error_in_ulps(out[k], want);
                if (error > worst) worst = error;
                if (error > f->ulps)
                    fail_msg("%s on %s: x %a y %a gives %a, not %a: %g units off", f->text, emu_isa_name(isa), (double)a[k],
                             (double)b[k], (double)out[k], want, error);
                if (!(isnan(out[k]) && isnan(first[k])) && num_float_bits(out[k]) != num_float_bits(first[k]))
                    fail_msg("%s: x %a y %a gives %a on %s, %a on the first", f->text, (double)a[k], (double)b[k],
                             (double)out[k], emu_isa_name(isa), (double)first[k]);
            }
            if (getenv("EMU_TEST_VERBOSE") != NULL) print_message("%-16s %-8s %.4f\n", f->text, emu_isa_name(isa), worst);
        }
    }
    emu_library_free(l);
    free(a);
    free(b);
    free(out);
    free(first);
}

/* half and bfloat: every value of a half as x; one rounding of the float result. */
static void small_functions(const char *type, const num_format *format)
{
    enum { N = 1 << 16 };
    uint16_t *a = malloc(N * 2), *b = malloc(N * 2), *out = malloc(N * 2);
    assert_true(a != NULL && b != NULL && out != NULL);
    uint32_t seed = 5;
    for (uint32_t i = 0; i < N; ++i) {
        a[i] = (uint16_t)i;
        b[i] = (uint16_t)(i % 4 == 0 ? i : emu_random(&seed) >> 7);
    }
    const emu_case c = {.groups = {N / 64}, .threads = {64}, .buffers = {{a, N * 2}, {b, N * 2}, {out, N * 2}}};
    static const char *const texts[] = {"x + y", "x - y", "x * y", "x / y", "min(x, y)", "max(x, y)", "-x", "abs(x)", "fma(x, y, x)", "floor(x)"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        buf text = buf_make(&mem_default);
        buf_printf(&text,
                   "kernel void k(device const %s *a, device const %s *b, device %s *out, "
                   "uint g [[thread_position_in_grid]]) { %s x = a[g], y = b[g]; out[g] = %s; }",
                   type, type, type, type, texts[k]);
        buf_char(&text, 0);
        emu_library *l = emu_text(text.p);
        for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
            emu_isa_select(l, isa);
            emu_must(l, "k", &c);
            for (uint32_t i = 0; i < N; ++i) {
                const double x = num_decode(format, a[i]), y = num_decode(format, b[i]);
                const double exact[] = {x + y, x - y, x * y, x / y, fmin(x, y), fmax(x, y), -x, fabs(x), 0, floor(x)};
                double want = exact[k];
                if (k == 8) {
                    /* x * y is exact in double; an addend too small to change it still says which side of a tie */
                    want = x * y + x;
                    if (want == x * y && x != 0) want = nextafter(want, x > 0 ? (double)INFINITY : (double)-INFINITY);
                    else if (want == x && x * y != 0) want = nextafter(want, x * y > 0 ? (double)INFINITY : (double)-INFINITY);
                }
                const double got = num_decode(format, out[i]), rounded = num_round(format, want);
                if (isnan(rounded) ? !isnan(got) : got != rounded)
                    fail_msg("%s %s on %s: x %a y %a gives %a, not %a", type, texts[k], emu_isa_name(isa), x, y, got, rounded);
            }
        }
        emu_library_free(l);
        buf_free(&text);
    }
    free(a);
    free(b);
    free(out);
}

static void test_half(void **state)
{
    (void)state;
    small_functions("half", &num_half);
}

static void test_bfloat(void **state)
{
    (void)state;
    small_functions("bfloat", &num_bfloat);
}

/* float to half and back: all halves, and floats around every rounding edge. */
static void test_half_conversion(void **state)
{
    (void)state;
    enum { N = 1 << 16 };
    float *a = inputs(N, 9), *back = malloc(N * 4);
    uint16_t *h = malloc(N * 2), *g = malloc(N * 2);
    for (uint32_t i = 0; i < N / 2; ++i) {
        /* half way between two neighbouring halves, and the floats beside that */
        const float mid = (float)((num_decode(&num_half, i % 0x7c00) + num_decode(&num_half, (i + 1) % 0x7c00)) / 2);
        a[i] = i % 3 == 0 ? mid : nextafterf(mid, i % 3 == 1 ? 0.0f : INFINITY);
    }
    for (uint32_t i = 0; i < N; ++i) g[i] = (uint16_t)i;
    const emu_case c = {.groups = {N / 128}, .threads = {128}, .buffers = {{a, N * 4}, {h, N * 2}, {g, N * 2}, {back, N * 4}}};
    emu_library *l = emu_text("kernel void k(device float *a, device half *h, device half *g, device float *back,\n"
                              "              uint i [[thread_position_in_grid]]) { h[i] = half(a[i]); back[i] = float(g[i]); }");
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        emu_must(l, "k", &c);
        for (uint32_t i = 0; i < N; ++i) {
            const uint32_t want = num_encode(&num_half, (double)a[i]);
            if (isnan(a[i]) ? (h[i] & 0x7fff) <= 0x7c00 : h[i] != want)
                fail_msg("half(%a) gives %04x, not %04x on %s", (double)a[i], h[i], want, emu_isa_name(isa));
            const double v = num_decode(&num_half, i);
            if (isnan(v) ? !isnan(back[i]) : (double)back[i] != v || (signbit(back[i]) != 0) != (signbit(v) != 0))
                fail_msg("float of half %04x gives %a, not %a", i, (double)back[i], v);
        }
    }
    emu_library_free(l);
    free(a);
    free(back);
    free(h);
    free(g);
}

/* Float to integers: toward zero, held at the ends, NaN gives 0. Integers to float: nearest. */
static void test_integer_conversion(void **state)
{
    (void)state;
    enum { N = 4096 };
    float *a = inputs(N, 3);
    static int32_t i32[N];
    static uint32_t u32[N];
    static int8_t i8[N];
    static uint16_t u16[N];
    static int64_t i64[N];
    static uint64_t u64[N];
    const emu_case c = {.groups = {N / 32}, .threads = {32},
                        .buffers = {{a, N * 4}, {i32, sizeof i32}, {u32, sizeof u32}, {i8, sizeof i8}, {u16, sizeof u16},
                                    {i64, sizeof i64}, {u64, sizeof u64}}};
    emu_library *l = emu_text("kernel void k(device float *a, device int *b, device uint *c, device char *d, device ushort *e,\n"
                              "  device long *f, device ulong *g, uint i [[thread_position_in_grid]])\n"
                              "{ float x = a[i]; b[i] = int(x); c[i] = uint(x); d[i] = char(x); e[i] = ushort(x); f[i] = long(x);"
                              " g[i] = ulong(x); }");
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        emu_must(l, "k", &c);
        for (int k = 0; k < N; ++k) {
            const double x = isnan(a[k]) ? 0 : trunc((double)a[k]);
            assert_int_equal(i32[k], (int32_t)fmin(fmax(x, -2147483648.0), 2147483647.0));
            assert_int_equal(u32[k], (uint32_t)fmin(fmax(x, 0), 4294967295.0));
            assert_int_equal(i8[k], (int8_t)fmin(fmax(x, -128), 127));
            assert_int_equal(u16[k], (uint16_t)fmin(fmax(x, 0), 65535));
            assert_true(i64[k] == (x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (int64_t)x));
            assert_true(u64[k] == (x >= 0x1p64 ? UINT64_MAX : x <= 0 ? 0 : (uint64_t)x));
        }
    }
    emu_library_free(l);
    free(a);
}

/* Comparisons and tests of NaN, infinity and zeros. */
static void test_comparisons(void **state)
{
    (void)state;
    enum { N = 26 };
    float *e = inputs(N, 1);
    static float a[N * N], b[N * N];
    static uint32_t out[N * N];
    for (int i = 0; i < N * N; ++i) {
        a[i] = e[i / N];
        b[i] = e[i % N];
    }
    const emu_case c = {.groups = {N}, .threads = {N}, .buffers = {{a, sizeof a}, {b, sizeof b}, {out, sizeof out}}};
    emu_library *l = emu_text(
        "kernel void k(device float *a, device float *b, device uint *out, uint i [[thread_position_in_grid]])\n"
        "{ float x = a[i], y = b[i]; out[i] = uint(x < y) | uint(x <= y) << 1 | uint(x > y) << 2 | uint(x >= y) << 3 |\n"
        "  uint(x == y) << 4 | uint(x != y) << 5 | uint(isnan(x)) << 6 | uint(isinf(x)) << 7 | uint(isfinite(x)) << 8 |\n"
        "  uint(isnormal(x)) << 9 | uint(signbit(x)) << 10 | uint(!(x < y)) << 11 | uint(bool(x)) << 12; }");
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        emu_must(l, "k", &c);
        for (int i = 0; i < N * N; ++i) {
            const float x = a[i], y = b[i];
            const unsigned want = (unsigned)(x < y) | (unsigned)(x <= y) << 1 | (unsigned)(x > y) << 2 | (unsigned)(x >= y) << 3 |
                                  (unsigned)(x == y) << 4 | (unsigned)(x != y) << 5 | (isnan(x) ? 64u : 0) | (isinf(x) ? 128u : 0) |
                                  (isfinite(x) ? 256u : 0) | (isnormal(x) ? 512u : 0) | (signbit(x) ? 1024u : 0) |
                                  (unsigned)!(x < y) << 11 | (x != 0 ? 4096u : 0);
            if (out[i] != want) fail_msg("%a and %a: %x, not %x", (double)x, (double)y, out[i], want);
        }
    }
    emu_library_free(l);
    free(e);
}

/* Products and sums are rounded each, unless fma is asked for; it rounds once. */
static void test_contraction(void **state)
{
    (void)state;
    enum { N = 4096 };
    float *a = inputs(N, 21), *b = inputs(N, 22), *x = inputs(N, 23);
    static float plain[N], fused[N];
    const emu_case c = {.groups = {N / 256}, .threads = {256},
                        .buffers = {{a, N * 4}, {b, N * 4}, {x, N * 4}, {plain, sizeof plain}, {fused, sizeof fused}}};
    emu_library *l = emu_text("kernel void k(device float *a, device float *b, device float *x, device float *p, device float *f,\n"
                              " uint i [[thread_position_in_grid]]) { p[i] = a[i] * b[i] + x[i]; f[i] = fma(a[i], b[i], x[i]); }");
    for (unsigned isa = 0; emu_isa_name(isa) != NULL; ++isa) {
        emu_isa_select(l, isa);
        emu_must(l, "k", &c);
        for (int i = 0; i < N; ++i) {
            volatile float product = a[i] * b[i];
            const float want = product + x[i], once = fmaf(a[i], b[i], x[i]);
            assert_true(isnan(want) ? isnan(plain[i]) : plain[i] == want);
            assert_true(isnan(once) ? isnan(fused[i]) : fused[i] == once);
        }
    }
    emu_library_free(l);
    free(a);
    free(b);
    free(x);
}

/* Functions with two results, and the ones over vectors. */
static void test_other(void **state)
{
    (void)state;
    float in[4] = {1.75f, -2.5f, 0.0f, 12.25f}, out[40] = {0};
    int32_t e[8] = {0};
    const emu_case c = {.buffers = {{in, sizeof in}, {out, sizeof out}, {e, sizeof e}}};
    emu_once("kernel void k(device float *in, device float *out, device int *e)\n"
             "{ float4 v = float4(in[0], in[1], in[2], in[3]); float4 whole; float4 part = modf(v, whole);\n"
             "  for (int i = 0; i < 4; ++i) { out[i] = part[i]; out[4 + i] = whole[i]; }\n"
             "  float co; float si = sincos(1.0f, co); out[8] = si; out[9] = co;\n"
             "  int x; out[10] = frexp(12.0f, x); e[0] = x; e[1] = ilogb(12.0f); out[11] = ldexp(0.75f, 4);\n"
             "  float3 a = float3(1, 2, 3), b = float3(-4, 5, 0.5); out[12] = dot(a, b); out[13] = length(a); out[14] = distance(a, b);\n"
             "  float3 cr = cross(a, b); out[15] = cr.x; out[16] = cr.y; out[17] = cr.z;\n"
             "  float3 n = normalize(b); out[18] = n.x; out[19] = mix(2.0f, 6.0f, 0.25f); out[20] = clamp(7.0f, 1.0f, 3.0f);\n"
             "  out[21] = saturate(-2.0f); out[22] = smoothstep(0.0f, 2.0f, 1.0f); out[23] = median3(5.0f, 1.0f, 3.0f);\n"
             "  out[24] = select(1.0f, 2.0f, true); out[25] = float(any(a > 2.5f)); out[26] = float(all(a > 2.5f));\n"
             "  out[27] = as_type<float>(0x3fc00000u); out[28] = max3(1.0f, 9.0f, 4.0f); out[29] = nextafter(1.0f, 2.0f); }",
             &c);
    const float want[30] = {0.75f, -0.5f, 0.0f, 0.25f, 1.0f, -2.0f, 0.0f, 12.0f, (float)sin(1), (float)cos(1), 0.75f, 12.0f,
                            7.5f, (float)sqrt(14), (float)sqrt(25 + 9 + 6.25), -14.0f, -12.5f, 13.0f,
                            (float)(-4 / sqrt(16 + 25 + 0.25)), 3.0f, 3.0f, 0.0f, 0.5f, 3.0f, 2.0f, 1.0f, 0.0f, 1.5f, 9.0f,
                            0x1.000002p0f};
    for (int i = 0; i < 30; ++i)
        if (fabsf(out[i] - want[i]) > fabsf(want[i]) * 1e-6f) fail_msg("out[%d] is %a, not %a", i, (double)out[i], (double)want[i]);
    assert_int_equal(e[0], 4);
    assert_int_equal(e[1], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),      cmocka_unit_test(test_half),
        cmocka_unit_test(test_bfloat),         cmocka_unit_test(test_half_conversion),
        cmocka_unit_test(test_integer_conversion), cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_contraction),    cmocka_unit_test(test_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
