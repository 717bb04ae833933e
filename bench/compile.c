/* From a script's text to a saved module: the seed program, modules of ever more kernels, kernels of ever more statements. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct job {
    const char *text;
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

static void scale(bench_report *r, int functions)
{
    for (size_t count = 10; count <= 1000; count *= 10) {
        job j = {NULL, 0};
        char *text = many_kernels(count, functions, &j.size), key[64], what[96];
        j.text = text;
        double seconds = bench_time(compile_and_save, &j, bench_cpu, 3, 0.5);
        const char *shape = functions ? "functions" : "regions";
        snprintf(key, sizeof key, "module_%zu_%s_us_per_kernel", count, shape);
        snprintf(what, sizeof what, "module of %zu kernels (%s), processor time each", count,
                 functions ? "a function each" : "one function");
        bench_figure(r, key, what, seconds * 1e6 / (double)count, "us");
        free(text);
    }
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

static void scale_statements(bench_report *r)
{
    for (size_t count = 10; count <= 1000; count *= 10) {
        job j = {NULL, 0};
        char *text = many_statements(count, &j.size), key[64], what[96];
        j.text = text;
        double seconds = bench_time(compile_and_save, &j, bench_cpu, 3, 0.5);
        snprintf(key, sizeof key, "kernel_%zu_statements_us_each", count);
        snprintf(what, sizeof what, "kernel of %zu statements, processor time each", count);
        bench_figure(r, key, what, seconds * 1e6 / (double)count, "us");
        free(text);
    }
}

void bench_compile(bench_report *r, const char *root)
{
    size_t size;
    char *text = bench_program(root, "seed.py", &size);
    job j = {text, size};
    double seconds = bench_time(compile_and_save, &j, bench_cpu, 20, 1.0);
    bench_figure(r, "seed_ms", "seed program, text to saved module, in process (processor time)", seconds * 1e3, "ms");
    free(text);
    scale(r, 0);
    scale(r, 1);
    scale_statements(r);
}
