/* From a script's text to a saved module: the seed program, and modules of ever more kernels. */
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
}
