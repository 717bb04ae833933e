/* From a script's text to a saved module: the seed program, modules of ever more kernels, kernels of ever more statements. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct job {
    char *text;
    size_t size;
} job;

static void compile_and_save(void *user)
{
    const job *j = user;
    ingot_error error = {INGOT_OK, 0, 0, ""};
    ingot_module *module = NULL;
    ingot_text *bytes = NULL;
    bench_check(ingot_compile(j->text, j->size, NULL, &module, &error), &error, "compile");
    bench_check(ingot_module_save(module, &bytes, &error), &error, "save");
    ingot_text_release(bytes);
    ingot_module_release(module);
}

/* One function with `count` thread-bound regions, or `count` functions with one each. */
static char *many_kernels(size_t count, int functions, size_t *size)
{
    static const char head[] = "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n\n"
                               "@I.ir_module\nclass Module:\n";
    size_t room = 1024 + count * 512;
    char *text = malloc(room);
    if (!text) exit(1);
    size_t at = (size_t)snprintf(text, room, "%s", head);
    for (size_t i = 0; i < count; i++) {
        if (functions || i == 0)
            at += (size_t)snprintf(text + at, room - at,
                                   "    @T.prim_func\n"
                                   "    def f%zu(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\")):\n",
                                   i);
        at += (size_t)snprintf(text + at, room - at,
                               "        for bx in T.thread_binding(32, thread=\"blockIdx.x\"):\n"
                               "            for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
                               "                B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(%zu)\n",
                               i + 1);
    }
    *size = at;
    return text;
}

static size_t statement(char *to, size_t room, size_t i)
{
    switch (i % 5) {
    case 0: return (size_t)snprintf(to, room, "            B[bx * 64 + tx] = A[bx * 64 + tx] * T.float32(%zu) + B[bx * 64 + tx]\n", i);
    case 1:
        return (size_t)snprintf(to, room, "            for i in range(4):\n"
                                          "                B[bx * 64 + tx] += A[(bx * 64 + tx * 4 + i) %% 1024]\n");
    case 2: return (size_t)snprintf(to, room, "            if tx < %zu:\n                B[bx * 64 + tx] = A[tx + %zu]\n", i % 60, i % 100);
    case 3:
        return (size_t)snprintf(to, room, "            v%zu: T.let = A[bx * 64 + tx] + B[bx * 64 + tx]\n"
                                          "            B[bx * 64 + tx] = v%zu * A[tx]\n", i, i);
    default:
        return (size_t)snprintf(to, room, "            S[tx] = B[bx * 64 + tx] + T.float32(%zu)\n"
                                          "            B[bx * 64 + tx] = S[63 - tx]\n", i);
    }
}

/* One kernel of `count` statements: stores, loops, branches, bindings, exchanges through threadgroup memory. */
static char *many_statements(size_t count, size_t *size)
{
    static const char head[] = "from tvm.script import tirx as T\n\n\n@T.prim_func\n"
                               "def main(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\")):\n"
                               "    for bx in T.thread_binding(16, thread=\"blockIdx.x\"):\n"
                               "        for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
                               "            S = T.alloc_buffer((64,), \"float32\", scope=\"shared\")\n";
    size_t room = sizeof head + count * 160;
    char *text = malloc(room);
    if (!text) exit(1);
    size_t at = (size_t)snprintf(text, room, "%s", head);
    for (size_t i = 0; i < count; i++) at += statement(text + at, room - at, i);
    *size = at;
    return text;
}

/* ---- Growth --------------------------------------------------------------------------------------- */

enum { SIZES = 3, ROUNDS = 15, MOST_UNITS = 1000 };
static const size_t units[SIZES] = {10, 100, MOST_UNITS};

/* A family of programs, made with `count` units each. */
typedef struct family {
    const char *key, *what, *unit;
    char *(*make)(size_t count, size_t *size);
} family;

static char *regions(size_t count, size_t *size)
{
    return many_kernels(count, 0, size);
}

static char *functions(size_t count, size_t *size)
{
    return many_kernels(count, 1, size);
}

static const family families[] = {
    {"regions", "kernels in one function", "kernel", regions},
    {"functions", "kernels, a function each", "kernel", functions},
    {"statements", "statements in one kernel", "statement", many_statements},
};

/* Processor time of compiling as many units as the largest program has. */
static double batch(job *j, size_t count)
{
    double before = bench_cpu();
    for (size_t i = 0; i < MOST_UNITS / count; i++) compile_and_save(j);
    return bench_cpu() - before;
}

/* The sizes take turns, so that what else the machine does meets all of them alike. */
static void measure(job *jobs, double *each)
{
    double times[SIZES][ROUNDS];
    for (size_t k = 0; k < SIZES; k++) batch(&jobs[k], units[k]);
    for (size_t i = 0; i < ROUNDS; i++) {
        for (size_t k = 0; k < SIZES; k++) times[k][i] = batch(&jobs[k], units[k]);
    }
    for (size_t k = 0; k < SIZES; k++) each[k] = bench_median(times[k], ROUNDS) / MOST_UNITS;
}

static void first_compile(bench_report *r, const family *f)
{
    job j;
    char key[64], what[96];
    j.text = f->make(MOST_UNITS, &j.size);
    double first = bench_first(compile_and_save, &j) / MOST_UNITS;
    snprintf(key, sizeof key, "%d_%s_first_us_each", MOST_UNITS, f->key);
    snprintf(what, sizeof what, "%d %s, the first compile of a process", MOST_UNITS, f->what);
    bench_figure(r, key, what, first * 1e6, "us");
    free(j.text);
}

static void scale(bench_report *r, const family *f)
{
    job jobs[SIZES];
    double each[SIZES];
    char key[64], what[96];
    for (size_t k = 0; k < SIZES; k++) jobs[k].text = f->make(units[k], &jobs[k].size);
    measure(jobs, each);
    for (size_t k = 0; k < SIZES; k++) {
        snprintf(key, sizeof key, "%zu_%s_us_each", units[k], f->key);
        snprintf(what, sizeof what, "%zu %s, processor time each", units[k], f->what);
        bench_figure(r, key, what, each[k] * 1e6, "us");
    }
    for (size_t k = 1; k < SIZES; k++) {
        snprintf(key, sizeof key, "%zu_%s_over_%zu", units[k], f->key, units[k - 1]);
        snprintf(what, sizeof what, "%zu %ss, time over that of %zu", units[k], f->unit, units[k - 1]);
        bench_figure(r, key, what, each[k] * (double)units[k] / (each[k - 1] * (double)units[k - 1]), "x");
    }
    for (size_t k = 0; k < SIZES; k++) free(jobs[k].text);
}

void bench_compile(bench_report *r, const char *root)
{
    enum { FAMILIES = sizeof families / sizeof families[0] };
    for (size_t i = 0; i < FAMILIES; i++) first_compile(r, &families[i]); /* before memory has been used */
    size_t size;
    char *text = bench_program(root, "seed.py", &size);
    job j = {text, size};
    double seconds = bench_time(compile_and_save, &j, bench_cpu, 20, 1.0);
    bench_figure(r, "seed_ms", "seed program, text to saved module, in process (processor time)", seconds * 1e3, "ms");
    free(text);
    for (size_t i = 0; i < FAMILIES; i++) scale(r, &families[i]);
}
