/* labels: quick */
/* Modules of format "metallib": each payload is held against its launch record before anything runs. */
#include "ingot_test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Two buffers at 0 and 1, and at 2 three scalars: x, y and n, 8 bytes each. */
static const char scale[] = SCRIPT_HEAD
    "    def main(a: T.handle, b: T.handle, x: T.float32, y: T.int32):\n"
    "        n = T.int32()\n"
    "        A = T.match_buffer(a, (n,), \"float32\")\n"
    "        B = T.match_buffer(b, (n,), \"float32\")\n"
    "        for i in T.thread_binding(n, thread=\"blockIdx.x\"):\n"
    "            with T.sblock(\"B\"):\n"
    "                v = T.axis.spatial(n, i)\n"
    "                B[v] = A[v] * x + T.Cast(\"float32\", y * n)\n";

typedef struct answer {
    const void *bytes;
    size_t size;
    const char *format;
} answer;

static ingot_status give(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    const answer *a = user;
    ingot_value pair[2] = {ingot_bytes(a->bytes, a->size), ingot_str(a->format, strlen(a->format))};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

/* Loads the module whose kernel's payload is that. */
static void loads(const void *bytes, size_t size, const char *format, ingot_status status, const char *words)
{
    answer a = {bytes, size, format};
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = give;
    options.compile_kernel_user = &a;
    ingot_module *m = compile_with(scale, &options);
    ingot_device *device;
    ingot_program *program;
    ingot_error error = {0};
    check(ingot_device_open("emu", 0, 1, NULL, &device, &error), &error);
    const ingot_status got = ingot_program_load(m, device, &program, &error);
    if (got != status || strstr(error.message, words) == NULL) fail_msg("%d \"%s\", expected \"%s\"", (int)got, error.message, words);
    ingot_program_release(program);
    ingot_device_release(device);
    ingot_module_release(m);
}

/* The library of that kernel; NULL without the component. */
static ingot_text *library_of(const char *kernel)
{
    char text[1000];
    ingot_text *out = NULL;
    ingot_error error = {0};
    (void)snprintf(text, sizeof text, "#include <metal_stdlib>\nusing namespace metal;\nstruct args { long x, y, n; };\nstruct more { long a[4]; };\n%s\n",
                   kernel);
    const ingot_status status = ingot_metallib_build(text, strlen(text), NULL, &out, &error);
    if (status != INGOT_OK && strstr(error.message, "AIR component") == NULL) fail_msg("%s", error.message);
    return out;
}

static bool is_there(void)
{
    ingot_error error;
    return ingot_air_version(&error) != NULL;
}

static void kernel_loads(const char *kernel, ingot_status status, const char *words)
{
    ingot_text *file = library_of(kernel);
    loads(ingot_text_data(file), ingot_text_size(file), "metallib", status, words);
    ingot_text_release(file);
}

#define TAKES_BOTH "kernel void main_kernel(device const float *A [[buffer(0)]], device float *B [[buffer(1)]]"

static void test_arguments(void **state)
{
    (void)state;
    if (!is_there()) skip();
    kernel_loads(TAKES_BOTH ", constant args &a [[buffer(2)]]) { B[0] = A[0] + a.n; }", INGOT_OK, "");
    kernel_loads(TAKES_BOTH ") { B[0] = A[0]; }", INGOT_OK, "");
    kernel_loads("kernel void other() {}", INGOT_FORMAT, "kernel \"main_kernel\": the metallib: it holds no function of that name (it holds 1)");
    kernel_loads(TAKES_BOTH ", device float *C [[buffer(3)]]) { B[0] = C[0]; }", INGOT_FORMAT,
                 "'C' at [[buffer(3)]], and its launch record binds only 2 buffers and 3 scalars");
    kernel_loads(TAKES_BOTH ", device args *a [[buffer(2)]]) { B[0] = a->n; }", INGOT_FORMAT,
                 "'a' at [[buffer(2)]] as device memory, where the launch record passes its scalars");
    kernel_loads(TAKES_BOTH ", constant more &m [[buffer(2)]]) { B[0] = m.a[3]; }", INGOT_FORMAT,
                 "'m' at [[buffer(2)]] is a more of 32 bytes in its code, and its launch record passes 24 bytes of scalars");
    kernel_loads(TAKES_BOTH ", threadgroup float *t [[threadgroup(0)]]) { t[0] = A[0]; B[0] = t[0]; }", INGOT_FORMAT,
                 "takes 1 threadgroup buffers of a size given at launch, and its launch record gives 0");
    kernel_loads("constant int c [[function_constant(0)]];\n" TAKES_BOTH ") { B[0] = A[0] + c; }", INGOT_UNSUPPORTED,
                 "kernel \"main_kernel\": the variable 'c' has no known value");
}

/* The right library with one byte changed, found by the bytes before it. */
static void damaged(const char *before, size_t length, size_t past, char to, ingot_status status, const char *words)
{
    ingot_text *file = library_of(TAKES_BOTH ") { B[0] = A[0]; }");
    const size_t size = ingot_text_size(file);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memcpy(bytes, ingot_text_data(file), size);
    size_t at = 0;
    while (at + length < size && memcmp(bytes + at, before, length) != 0) ++at;
    assert_true(at + length + past < size);
    bytes[at + length + past] = to;
    loads(bytes, size, "metallib", status, words);
    free(bytes);
    ingot_text_release(file);
}

static void test_containers(void **state)
{
    (void)state;
    if (!is_there()) skip();
    damaged("MTLB", 4, 6, 1, INGOT_FORMAT, "it is a Core Image library, not an executable one");
    damaged("MTLB", 4, 6, 2, INGOT_FORMAT, "it is a dynamic library, not an executable one");
    damaged("MTLB", 4, 6, 3, INGOT_FORMAT, "it is a symbol companion, not an executable one");
    damaged("MTLB", 4, 6, 4, INGOT_FORMAT, "file type 4 is unknown");
    damaged("MTLB", 4, 6, (char)0x80, INGOT_FORMAT, "it is a stub library, without code");
    damaged("TYPE\1\0", 6, 0, 0, INGOT_FORMAT, "its function of that name is no kernel but of type vertex");
    damaged("\xDE\xC0\x17\x0B", 4, 100, 'x', INGOT_FORMAT, "SHA-256");
    ingot_text *file = library_of(TAKES_BOTH ") { B[0] = A[0]; }");
    loads(ingot_text_data(file), ingot_text_size(file) - 1, "metallib", INGOT_FORMAT, "the metallib: ");
    loads(ingot_text_data(file), ingot_text_size(file), "metal", INGOT_SYNTAX, "the payload is metallib, and format \"metal\" means MSL text");
    ingot_text_release(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arguments), cmocka_unit_test(test_containers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
