/* Fuzz target: any text as a kernel's MSL payload, loaded onto the software device (never run: it
 * may loop for ever). */
#include "ingot/ingot.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static const char script[] =
    "from tvm.script import tirx as T\n"
    "@T.prim_func\n"
    "def main(A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), \"float32\"), x: T.float32):\n"
    "    for i in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
    "        B[i] = A[i] + x\n";

/* Answers any kernel with the fuzzer's text. */
static ingot_status give_text(void *user, const ingot_value *args, size_t count,
                              ingot_result *result, ingot_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    const bytes *in = user;
    ingot_value pair[2] = {ingot_bytes(in->data, in->size), ingot_str("metal", 5)};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0; /* an empty payload is refused at build */
    bytes in = {data, size};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = give_text;
    options.compile_kernel_user = &in;
    ingot_module *module = NULL;
    ingot_device *device = NULL;
    ingot_program *program = NULL;
    ingot_error error;
    if (ingot_compile(script, sizeof script - 1, &options, &module, &error) != INGOT_OK) abort();
    if (ingot_device_open("emu", 0, 1, NULL, &device, &error) != INGOT_OK) abort();
    ingot_status status = ingot_program_load(module, device, &program, &error);
    if ((status == INGOT_OK) != (program != NULL) || status == INGOT_INTERNAL) abort();
    ingot_program_release(program);
    ingot_device_release(device);
    ingot_module_release(module);
    return 0;
}
