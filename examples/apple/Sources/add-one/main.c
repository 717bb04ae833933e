/* Adds one to a million numbers on the machine's GPU: a whole program against Ingot, for macOS and, as a part of an app, iOS.
 * Build: see README.md beside it. */
#include <ingot/ingot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 20 };

static const char script[] = "from tvm.script import ir as I\n"
                             "from tvm.script import tirx as T\n"
                             "@I.ir_module\n"
                             "class Module:\n"
                             "    @T.prim_func\n"
                             "    def main(A: T.Buffer((1048576,), \"float32\"), B: T.Buffer((1048576,), \"float32\")):\n"
                             "        for bx in T.thread_binding(4096, thread=\"blockIdx.x\"):\n"
                             "            for tx in T.thread_binding(256, thread=\"threadIdx.x\"):\n"
                             "                B[bx * 256 + tx] = A[bx * 256 + tx] + T.float32(1)\n";

static void say_time(void *user, const char *kernel, double start, double end)
{
    (void)user;
    printf("%s: %.3f ms\n", kernel, (end - start) * 1e3);
}

/* All that the program holds. */
typedef struct work {
    ingot_module *module;
    ingot_device *device;
    ingot_stream *stream;
    ingot_program *program;
    ingot_buffer *a, *b;
} work;

/* "metal" is the GPU where there is one, else the software device: the rest is the same. */
static ingot_status open_all(work *w, ingot_error *error)
{
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.ignore_callback = 1; /* payloads are Metal text, which Metal compiles where it runs */
    ingot_status status = ingot_compile(script, strlen(script), &options, &w->module, error);
    if (status == INGOT_OK) status = ingot_device_open("metal", 0, 0, NULL, &w->device, error);
    if (status == INGOT_OK) status = ingot_stream_create(w->device, &w->stream, error);
    if (status == INGOT_OK) status = ingot_program_load(w->module, w->device, &w->program, error);
    if (status == INGOT_OK) status = ingot_buffer_create(w->device, COUNT * sizeof(float), &w->a, error);
    if (status == INGOT_OK) status = ingot_buffer_create(w->device, COUNT * sizeof(float), &w->b, error);
    return status;
}

static ingot_status run(work *w, float *host, ingot_error *error)
{
    int64_t shape = COUNT;
    DLTensor ta = {.data = w->a, .device = {kDLMetal, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = &shape}, tb = ta;
    tb.data = w->b;
    ingot_value args[2] = {ingot_tensor(&ta), ingot_tensor(&tb)};
    ingot_stream_on_time(w->stream, say_time, NULL);
    ingot_status status = ingot_buffer_write(w->a, 0, host, COUNT * sizeof(float), w->stream, error);
    if (status == INGOT_OK) status = ingot_program_call(w->program, "main", args, 2, w->stream, NULL, error);
    if (status == INGOT_OK) status = ingot_buffer_read(w->b, 0, host, COUNT * sizeof(float), w->stream, error);
    return status;
}

static void close_all(work *w)
{
    ingot_buffer_release(w->a);
    ingot_buffer_release(w->b);
    ingot_program_release(w->program);
    ingot_stream_release(w->stream);
    ingot_device_release(w->device);
    ingot_module_release(w->module);
}

int main(void)
{
    work w = {0};
    ingot_error error = {.status = INGOT_OK};
    int wrong = 0;
    float *host = malloc(COUNT * sizeof(float));
    if (host == NULL) return 1;
    for (int i = 0; i < COUNT; ++i) host[i] = (float)i;
    ingot_status status = open_all(&w, &error);
    if (status == INGOT_OK) status = run(&w, host, &error);
    for (int i = 0; status == INGOT_OK && i < COUNT; ++i) wrong += host[i] != (float)i + 1;
    if (status == INGOT_OK) printf("%s: %d of %d results wrong\n", ingot_device_name(w.device), wrong, COUNT);
    else fprintf(stderr, "%s\n", error.message);
    close_all(&w);
    free(host);
    return status != INGOT_OK || wrong != 0;
}
