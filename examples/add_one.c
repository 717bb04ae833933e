/* Compiles a TVMScript kernel, keeps its Metal source through the compile callback, runs it on the software Metal
 * device, and reads the result back. Build: cc add_one.c $(pkg-config --cflags --libs ingot) */
#include <ingot/ingot.h>
#include <stdio.h>
#include <string.h>

static const char script[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import tirx as T\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func\n"
    "    def main(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((1024,), \"float32\")):\n"
    "        for bx in T.thread_binding(32, thread=\"blockIdx.x\"):\n"
    "            for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
    "                B[bx * 32 + tx] = A[bx * 32 + tx] + T.float32(1)\n";

/* Keeps the text and declares it to be text: (source, "metal"). */
static ingot_status keep_source(void *user, const ingot_value *args, size_t count, ingot_result *result,
                                ingot_error *error)
{
    ingot_value pair[2] = {args[0], ingot_str("metal", 5)};
    (void)count;
    (void)error;
    *(size_t *)user += args[0].as.text.size;
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

int main(void)
{
    ingot_error error = {0};
    ingot_module *module = NULL;
    ingot_device *device = NULL;
    ingot_stream *stream = NULL;
    ingot_program *program = NULL;
    ingot_buffer *a = NULL, *b = NULL;
    float host[1024];
    int64_t shape[1] = {1024};
    size_t kept = 0, wrong = 0;
    for (int i = 0; i < 1024; ++i) host[i] = (float)i;

    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = keep_source;
    options.compile_kernel_user = &kept;
    if (ingot_compile(script, strlen(script), &options, &module, &error) != INGOT_OK ||
        ingot_device_open("metal", 0, 0, NULL, &device, &error) != INGOT_OK ||
        ingot_stream_create(device, &stream, &error) != INGOT_OK ||
        ingot_program_load(module, device, &program, &error) != INGOT_OK ||
        ingot_buffer_create(device, sizeof host, &a, &error) != INGOT_OK ||
        ingot_buffer_create(device, sizeof host, &b, &error) != INGOT_OK ||
        ingot_buffer_write(a, 0, host, sizeof host, stream, &error) != INGOT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    DLTensor ta = {a, {kDLMetal, 0}, 1, {kDLFloat, 32, 1}, shape, NULL, 0}, tb = ta;
    tb.data = b;
    ingot_value args[2] = {ingot_tensor(&ta), ingot_tensor(&tb)};
    if (ingot_program_call(program, "main", args, 2, stream, NULL, &error) != INGOT_OK ||
        ingot_buffer_read(b, 0, host, sizeof host, stream, &error) != INGOT_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int i = 0; i < 1024; ++i) wrong += host[i] != (float)i + 1;
    printf("%zu bytes of Metal source kept, format %s, %zu of 1024 results wrong\n", kept, ingot_module_format(module),
           wrong);
    ingot_buffer_release(a);
    ingot_buffer_release(b);
    ingot_program_release(program);
    ingot_stream_release(stream);
    ingot_device_release(device);
    ingot_module_release(module);
    return wrong != 0;
}
