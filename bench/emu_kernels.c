/* The software device, native code (where libingot-air is found: INGOT_AIR names it) and plain C loops in one process: milliseconds, and
 * the ratios to the plain loop. Native code is shown with checks and without.
 * Usage: emu_kernels [THREADS [RUNS [CHECKS [WORKLOAD [PART]]]]], CHECKS such as "all", "race,bounds" or "" for none, WORKLOAD the first letters
 * of those to be run, PART for 1/PART of the grids alone (part.h), without loops; a last line says by how much the process grew meanwhile. Each figure is the least of RUNS; one thread is timed by its processor time, which
 * other work on the machine disturbs less, more threads by the clock; "processor" is the processor time of all threads. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "emu/emu.h"
#include "part.h"
#include "rt/component.h"

enum { N = 16 << 20, SMALL = 4 << 20, M = 512 };

static double now(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The most memory that the process has had, in MB. */
static double peak(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

typedef struct data {
    float *a, *b, *out;
    uint16_t *ha, *hb, *hout;
} data;

/* The native loops: as one would write them, for the compiler to make vectors of. */
__attribute__((noinline)) static void native_add(data *d)
{
    for (size_t i = 0; i < N; ++i) d->out[i] = d->a[i] + 1.0f;
}
__attribute__((noinline)) static void native_matmul(data *d)
{
    float *restrict c = d->out;
    memset(c, 0, (size_t)M * M * 4);
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < M; ++k)
            for (int j = 0; j < M; ++j) c[i * M + j] += d->a[i * M + k] * d->b[k * M + j];
}
__attribute__((noinline)) static void native_reduce(data *d)
{
    for (size_t g = 0; g < N / 256; ++g) {
        float s[16] = {0};
        for (size_t i = 0; i < 256; i += 16)
            for (size_t k = 0; k < 16; ++k) s[k] += d->a[g * 256 + i + k];
        float sum = 0;
        for (size_t k = 0; k < 16; ++k) sum += s[k];
        d->out[g] = sum;
    }
}
__attribute__((noinline)) static void native_softmax(data *d)
{
    for (size_t r = 0; r < 4096; ++r) {
        const float *a = d->a + r * 1024;
        float *o = d->out + r * 1024;
        float m = a[0], s = 0;
        for (int i = 1; i < 1024; ++i) m = a[i] > m ? a[i] : m;
        for (int i = 0; i < 1024; ++i) s += o[i] = expf(a[i] - m);
        for (int i = 0; i < 1024; ++i) o[i] /= s;
    }
}
__attribute__((noinline)) static void native_exp(data *d)
{
    for (size_t i = 0; i < SMALL; ++i) d->out[i] = expf(d->a[i]) + tanhf(d->a[i]);
}
static void native_none(data *d)
{
    (void)d;
}

typedef struct workload {
    const char *name, *text;
    void (*native)(data *d);
    size_t groups[2];
    uint32_t threads[2];
    int half;
} workload;

#define REDUCE_TREE                                                                                                    \
    "threadgroup_barrier(mem_flags::mem_threadgroup);\n"                                                               \
    "  for (uint st = 128; st > 0; st >>= 1) { if (t < st) s[t] = JOIN(s[t], s[t + st]);\n"                            \
    "    threadgroup_barrier(mem_flags::mem_threadgroup); }\n"

static const workload workloads[] = {
    {"W1 add-one 16Mi",
     "kernel void k(device const float *a, device const float *b, device float *out, uint g [[threadgroup_position_in_grid]],\n"
     "  uint t [[thread_position_in_threadgroup]]) { out[((int)g) * 256 + (int)t] = a[((int)g) * 256 + (int)t] + 1.0f; }",
     native_add, {N / 256, 1}, {256, 1}, 0},
    {"W1 groups of 32",
     "kernel void k(device const float *a, device const float *b, device float *out, uint g [[threadgroup_position_in_grid]],\n"
     "  uint t [[thread_position_in_threadgroup]]) { out[((int)g) * 32 + (int)t] = a[((int)g) * 32 + (int)t] + 1.0f; }",
     native_add, {N / 32, 1}, {32, 1}, 0},
    {"W2 matmul 512^3",
     "kernel void k(device float *A, device float *B, device float *C, uint2 g [[threadgroup_position_in_grid]],\n"
     "  uint2 t [[thread_position_in_threadgroup]]) { thread float acc[1]; threadgroup float As[256]; threadgroup float Bs[256];\n"
     "  acc[0] = 0.0f; for (int ko = 0; ko < 32; ++ko) {\n"
     "    As[((int)t.y) * 16 + (int)t.x] = A[((int)g.y) * 8192 + ((int)t.y) * 512 + ko * 16 + (int)t.x];\n"
     "    Bs[((int)t.y) * 16 + (int)t.x] = B[ko * 8192 + ((int)t.y) * 512 + ((int)g.x) * 16 + (int)t.x];\n"
     "    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
     "    for (int ki = 0; ki < 16; ++ki) acc[0] = acc[0] + As[((int)t.y) * 16 + ki] * Bs[ki * 16 + (int)t.x];\n"
     "    threadgroup_barrier(mem_flags::mem_threadgroup); }\n"
     "  C[((int)g.y) * 8192 + ((int)t.y) * 512 + ((int)g.x) * 16 + (int)t.x] = acc[0]; }",
     native_matmul, {32, 32}, {16, 16}, 0},
    {"W3 reduce 16Mi",
     "#define JOIN(x, y) ((x) + (y))\n"
     "kernel void k(device const float *a, device const float *b, device float *out, uint g [[threadgroup_position_in_grid]],\n"
     "  uint t [[thread_position_in_threadgroup]]) { threadgroup float s[256]; s[t] = a[g * 256 + t];\n" REDUCE_TREE
     "  if (t == 0) out[g] = s[0]; }",
     native_reduce, {N / 256, 1}, {256, 1}, 0},
    {"W4 softmax 4096x1024",
     "#define JOIN(x, y) (first ? max(x, y) : (x) + (y))\n"
     "kernel void k(device const float *a, device const float *b, device float *out, uint g [[threadgroup_position_in_grid]],\n"
     "  uint t [[thread_position_in_threadgroup]]) { threadgroup float s[256]; bool first = true; float m = -INFINITY; float e[4];\n"
     "  for (int i = 0; i < 4; ++i) { e[i] = a[g * 1024 + i * 256 + t]; m = max(m, e[i]); } s[t] = m;\n" REDUCE_TREE
     "  m = s[0]; threadgroup_barrier(mem_flags::mem_threadgroup); first = false; float sum = 0;\n"
     "  for (int i = 0; i < 4; ++i) { e[i] = exp(e[i] - m); sum += e[i]; } s[t] = sum;\n" REDUCE_TREE
     "  sum = s[0]; for (int i = 0; i < 4; ++i) out[g * 1024 + i * 256 + t] = e[i] / sum; }",
     native_softmax, {4096, 1}, {256, 1}, 0},
    {"W5 exp + tanh 4Mi",
     "kernel void k(device const float *a, device const float *b, device float *out, uint i [[thread_position_in_grid]])\n"
     "{ out[i] = exp(a[i]) + tanh(a[i]); }",
     native_exp, {SMALL / 256, 1}, {256, 1}, 0},
    {"W6 half add 16Mi",
     "kernel void k(device const half *a, device const half *b, device half *out, uint i [[thread_position_in_grid]])\n"
     "{ out[i] = a[i] + b[i]; }",
     native_none, {N / 256, 1}, {256, 1}, 1},
    {"empty launch", "kernel void k(device const float *a, device const float *b, device float *out) { }", native_none,
     {1, 1}, {32, 1}, 0},
};

static double least_native(const workload *w, data *d, int runs)
{
    double least = 1e30;
    for (int r = 0; r < runs; ++r) {
        const double from = now(CLOCK_THREAD_CPUTIME_ID);
        w->native(d);
        const double t = now(CLOCK_THREAD_CPUTIME_ID) - from;
        least = t < least ? t : least;
    }
    return least;
}

/* Processor time of this process and of the children that it waited for. */
static double work_done(void)
{
    struct rusage own, children;
    (void)getrusage(RUSAGE_SELF, &own);
    (void)getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval *all[4] = {&own.ru_utime, &own.ru_stime, &children.ru_utime, &children.ru_stime};
    double ms = 0;
    for (int i = 0; i < 4; ++i) ms += (double)all[i]->tv_sec * 1e3 + (double)all[i]->tv_usec * 1e-3;
    return ms;
}

/* The least of `runs` runs as native code, in *load the processor time that loading took; 0 where it is not to be had. */
static double least_code(const workload *w, str text, const emu_launch *launch, int runs, bool unchecked, double *load)
{
    ingot_error error;
    const air_component *air = rt_component(&error);
    const air_source source = {.bytes = text, .is_text = true, .kernel = "k", .unchecked = unchecked};
    air_kernel *k = NULL;
    const double before = work_done();
    if (air == NULL || air->load(NULL, &source, &k, &error) != INGOT_OK) {
        if (air != NULL) fprintf(stderr, "%s: %s\n", w->name, error.message);
        return 0;
    }
    *load = work_done() - before;
    air_binding buffers[3];
    for (int i = 0; i < 3; ++i) buffers[i] = (air_binding){launch->buffers[i].data, launch->buffers[i].size};
    const air_launch l = {.kernel = k, .buffers = buffers, .buffer_count = 3,
                          .groups = {(uint32_t)w->groups[0], (uint32_t)w->groups[1], 1}, .threads = {w->threads[0], w->threads[1], 1}};
    double least = 1e30;
    for (int r = 0; r < runs; ++r) {
        const double from = now(CLOCK_THREAD_CPUTIME_ID);
        if (air->run(&l, &error) != INGOT_OK) {
            fprintf(stderr, "%s: %s\n", w->name, error.message);
            break;
        }
        const double t = now(CLOCK_THREAD_CPUTIME_ID) - from;
        least = t < least ? t : least;
    }
    air->free(k);
    return least;
}

static void ratio(double ms, double native)
{
    printf(" %10.4f", ms);
    if (native > 0.01) printf(" %6.2f", ms / native);
    else printf(" %6s", "-");
}

static int run(const workload *w, data *d, emu_pool *pool, int runs, unsigned checks, size_t elements)
{
    buf text = buf_make(&mem_default);
    buf_printf(&text, "#include <metal_stdlib>\nusing namespace metal;\n%s\n", w->text);
    emu_library *l = NULL;
    ingot_error error;
    if (emu_library_compile(NULL, buf_view(&text), STR("bench.metal"), &l, NULL, &error) != INGOT_OK) {
        fprintf(stderr, "%s: %s\n", w->name, error.message);
        return 1;
    }
    const size_t size = w->half != 0 ? 2 : 4;
    const emu_binding buffers[3] = {{w->half != 0 ? (void *)d->ha : (void *)d->a, elements * size},
                                    {w->half != 0 ? (void *)d->hb : (void *)d->b, elements * size},
                                    {w->half != 0 ? (void *)d->hout : (void *)d->out, elements * size}};
    emu_findings found = emu_findings_make(NULL, 0);
    const emu_launch launch = {.checks = checks, .findings = checks != 0 ? &found : NULL, .kernel = emu_library_kernel(l, 0), .buffers = buffers, .buffer_count = 3, .pool = pool,
                               .groups = {(uint32_t)w->groups[0], (uint32_t)w->groups[1], 1}, .threads = {w->threads[0], w->threads[1], 1}};
    const clockid_t clock = pool == NULL ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    double least = 1e30, work = 1e30, first = 0;
    for (int r = 0; r < runs; ++r) {
        const double from = now(clock), before = now(CLOCK_PROCESS_CPUTIME_ID);
        if (emu_run(&launch, &error) != INGOT_OK) {
            fprintf(stderr, "%s: %s\n", w->name, error.message);
            return 1;
        }
        const double t = now(clock) - from, all = now(CLOCK_PROCESS_CPUTIME_ID) - before;
        if (r == 0) first = t;
        work = all < work ? all : work;
        least = t < least ? t : least;
    }
    const double native = least_native(w, d, runs);
    double load = 0, unchecked_load = 0;
    const double code = least_code(w, buf_view(&text), &launch, runs, false, &load);
    const double fast = least_code(w, buf_view(&text), &launch, runs, true, &unchecked_load);
    printf("%-22s %10.4f %10.4f", w->name, native, first);
    ratio(least, native);
    ratio(code, native);
    ratio(fast, native);
    printf(" %8.1f %8.1f %10.4f\n", load, unchecked_load, work);
    if (found.n != 0) printf("  %zu findings: %s\n", found.n, found.at[0].message);
    emu_findings_free(&found);
    emu_library_free(l);
    buf_free(&text);
    return 0;
}

int main(int argc, char **argv)
{
    const unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    const int runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 7;
    const char *only = argc > 4 ? argv[4] : "";
    const size_t part = argc > 5 ? (size_t)strtoul(argv[5], NULL, 10) : 1;
    unsigned checks = 0;
    ingot_error error;
    if (argc > 3 && emu_checks_parse(str_of(argv[3]), &checks, &error) != INGOT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    /* the workloads have one signature, whether they use all of it or not */
    checks &= ~(1u << EMU_CHECK_LAUNCH | 1u << EMU_CHECK_LIMITS);
    emu_pool *pool = threads > 1 ? emu_pool_create(NULL, threads) : NULL;
    data d = {aligned_alloc(4096, N * 4), aligned_alloc(4096, N * 4), aligned_alloc(4096, N * 4),
              aligned_alloc(4096, N * 2), aligned_alloc(4096, N * 2), aligned_alloc(4096, N * 2)};
    if (d.a == NULL || d.b == NULL || d.out == NULL || d.ha == NULL || d.hb == NULL || d.hout == NULL) return 1;
    for (size_t i = 0; i < N; ++i) {
        d.a[i] = (float)(i * 2654435761u % 1000) / 500.0f - 1;
        d.b[i] = (float)(i * 40503u % 1000) / 1000.0f;
        d.out[i] = 0;
        d.ha[i] = (uint16_t)(0x3000 + i % 0x900);
        d.hb[i] = (uint16_t)(0x3800 + i % 0x500);
        d.hout[i] = 0;
    }
    printf("%-22s %10s %10s %10s %6s %10s %6s %10s %6s %8s %8s %10s\n", "milliseconds", "loop", "first", "device", "ratio", "code", "ratio",
           "no checks", "ratio", "load", "load", "processor");
    int failed = 0;
    const double before = peak();
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; ++i) {
        workload w = workloads[i];
        if (strncmp(w.name, only, strlen(only)) != 0) continue;
        if (part > 1) {
            part_of(workloads[i].groups, part, w.groups);
            w.native = native_none;
        }
        failed |= run(&w, &d, pool, i + 1 == sizeof workloads / sizeof *workloads ? 1000 : runs, checks, part_elements(N, part));
    }
    printf("%-22s %10.1f\n", "grown by MB", peak() - before);
    emu_pool_free(pool);
    free(d.a);
    free(d.b);
    free(d.out);
    free(d.ha);
    free(d.hb);
    free(d.hout);
    return failed;
}
