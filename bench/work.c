/* Three workloads on the software device, bounds checks on, against plain loops in the same run. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { ELEMENTS = 16 << 20, GROUP = 256, N = 512, MOST_THREADS = 64 };

typedef struct workload {
    const char *program, *key, *what;
    size_t buffers, out; /* the last buffer is the output */
    int64_t shapes[BENCH_BUFFERS][2];
    void (*native)(float *const *data, size_t begin, size_t end);
    size_t rows;      /* of the output, for the native loop */
    double tolerance; /* sums in another order differ in the last digits */
} workload;

static void add_one(float *const *d, size_t begin, size_t end)
{
    native_add_one(d[0], d[1], begin, end);
}

static void matmul(float *const *d, size_t begin, size_t end)
{
    native_matmul(d[0], d[1], d[2], N, begin, end);
}

static void reduce(float *const *d, size_t begin, size_t end)
{
    native_reduce(d[0], d[1], begin, end);
}

static const workload workloads[] = {
    {"add_one.py", "add_one", "add one, 16 Mi floats", 2, 1, {{ELEMENTS, 0}, {ELEMENTS, 0}}, add_one, ELEMENTS, 0},
    {"matmul.py", "matmul", "tiled matmul, 512 x 512 x 512", 3, 2, {{N, N}, {N, N}, {N, N}}, matmul, N, 1e-4},
    {"reduce.py", "reduce", "tree sums, 16 Mi floats", 2, 1, {{ELEMENTS, 0}, {ELEMENTS / GROUP, 0}}, reduce,
     ELEMENTS / GROUP, 1e-4},
};

typedef struct native_run {
    const workload *w;
    float **data;
    unsigned threads;
} native_run;

typedef struct part {
    const native_run *run;
    size_t begin, end;
} part;

static void *run_part(void *user)
{
    const part *p = user;
    p->run->w->native(p->run->data, p->begin, p->end);
    return NULL;
}

/* The rows spread over threads, the first part on this one. */
static void run_native(void *user)
{
    const native_run *run = user;
    pthread_t threads[MOST_THREADS];
    part parts[MOST_THREADS];
    unsigned n = run->threads;
    for (unsigned i = 0; i < n; i++) {
        parts[i] = (part){run, run->w->rows * i / n, run->w->rows * (i + 1) / n};
        if (i && pthread_create(&threads[i], NULL, run_part, &parts[i]) != 0) exit(1);
    }
    run_part(&parts[0]);
    for (unsigned i = 1; i < n; i++) pthread_join(threads[i], NULL);
}

static void run_device(void *user)
{
    bench_device_call(user);
    bench_device_sync(user);
}

static size_t elements_of(const workload *w, size_t i)
{
    return (size_t)(w->shapes[i][0] * (w->shapes[i][1] ? w->shapes[i][1] : 1));
}

/* The device's answer against the native one; a wrong figure is worth nothing. */
static void compare(const workload *w, bench_device *d, const float *wanted)
{
    size_t count = elements_of(w, w->out);
    float *got = malloc(count * sizeof *got);
    if (!got) exit(1);
    bench_device_read(d, w->out, got, count);
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)got[i] - (double)wanted[i]);
        if (difference <= w->tolerance * (1 + fabs((double)wanted[i]))) continue;
        fprintf(stderr, "bench: %s: element %zu is %g, not %g\n", w->program, i, (double)got[i], (double)wanted[i]);
        exit(1);
    }
    free(got);
}

static void one(bench_report *r, const char *root, const workload *w, float **data, unsigned threads)
{
    char key[64], what[96];
    native_run run = {w, data, threads};
    double (*clock)(void) = threads == 1 ? bench_cpu : bench_now;
    const char *unit = threads == 1 ? " (processor time)" : "s";
    double native = bench_time(run_native, &run, clock, 7, 0.5);
    bench_device d;
    bench_device_open(&d, root, w->program, threads, w->buffers, w->shapes);
    for (size_t i = 0; i < w->out; i++) bench_device_write(&d, i, data[i], elements_of(w, i));
    double device = bench_time(run_device, &d, clock, 7, 1.0);
    compare(w, &d, data[w->out]);
    bench_device_close(&d);
    snprintf(key, sizeof key, "%s_native_%ut_ms", w->key, threads);
    snprintf(what, sizeof what, "%s, native loop, %u thread%s", w->what, threads, unit);
    bench_figure(r, key, what, native * 1e3, "ms");
    snprintf(key, sizeof key, "%s_device_%ut_ms", w->key, threads);
    snprintf(what, sizeof what, "%s, software device, %u thread%s", w->what, threads, unit);
    bench_figure(r, key, what, device * 1e3, "ms");
    snprintf(key, sizeof key, "%s_ratio_%ut", w->key, threads);
    snprintf(what, sizeof what, "%s, ratio", w->what);
    bench_figure(r, key, what, device / native, "x");
}

void bench_work(bench_report *r, const char *root, unsigned threads)
{
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    for (size_t k = 0; k < sizeof workloads / sizeof workloads[0]; k++) {
        const workload *w = &workloads[k];
        float *data[BENCH_BUFFERS] = {NULL};
        for (size_t i = 0; i < w->buffers; i++) {
            data[i] = malloc(elements_of(w, i) * sizeof(float));
            if (!data[i]) exit(1);
            for (size_t e = 0; e < elements_of(w, i); e++)
                data[i][e] = (float)((e * 2654435761U >> 8) % 2001) / 1000.0F - 1.0F;
        }
        one(r, root, w, data, 1);
        if (threads > 1) one(r, root, w, data, threads);
        for (size_t i = 0; i < w->buffers; i++) free(data[i]);
    }
}
