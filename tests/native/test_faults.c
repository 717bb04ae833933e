/* labels: quick thread */
/* What can go wrong on the native device: each fault is a message that says what and where, and leaves nothing behind. */
#include "native_test.h"

#include "metal/device.h"
#include "pack/metallib_write.h"

/* ---- Before a launch -------------------------------------------------------------------------------------------- */

static void test_open(void **state)
{
    (void)state;
    set_up((double_options){0});
    ingot_device *device = open_device("native", 0);
    ingot_stream *stream;
    ingot_buffer *buffer;
    ingot_error error = {0};
    double_inject(DOUBLE_NO_QUEUE, 1);
    fails_with(ingot_stream_create(device, &stream, &error), INGOT_RUNTIME, &error, "Metal gives no command queue");
    double_inject(DOUBLE_NO_MEMORY, 1);
    fails_with(ingot_buffer_create(device, 64, &buffer, &error), INGOT_OUT_OF_MEMORY, &error, "out of memory");
    fails_with(ingot_buffer_create(device, ((size_t)1 << 28) + 1, &buffer, &error), INGOT_LIMIT, &error, "the device takes at most 268435456");
    check(ingot_buffer_create(device, (size_t)1 << 28, &buffer, &error), &error); /* the whole of it */
    ingot_buffer_release(buffer);
    ingot_device_release(device);
    tear_down();
}

static ingot_status give_text(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    ingot_value pair[2] = {ingot_str(user, strlen(user)), ingot_str("metal", 5)};
    return ingot_result_set(result, ingot_tuple(pair, 2));
}

/* add_one with this text as its kernel. */
static ingot_module *module_of_text(char *text)
{
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = give_text;
    options.compile_kernel_user = text;
    return compile_with(add_one, &options);
}

static void load_fails(ingot_module *m, double_fault fault, ingot_status status, const char *words, uint32_t line, uint32_t column)
{
    set_up((double_options){0});
    ingot_device *device = open_device("native", 0);
    ingot_program *program;
    ingot_error error = {0};
    double_inject(fault, 1);
    ingot_status got = ingot_program_load(m, device, &program, &error);
    fails_with(got, status, &error, words);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_null(program);
    ingot_device_release(device);
    tear_down();
}

static void test_load(void **state)
{
    (void)state;
    ingot_module *m = compile_with(add_one, NULL);
    load_fails(m, DOUBLE_LIBRARY_ERROR, INGOT_SYNTAX,
               "kernel \"main_kernel\": Metal's compiler: Compilation failed: \n\nthe compiler service went away", 0, 0);
    load_fails(m, DOUBLE_PIPELINE_ERROR, INGOT_RUNTIME,
               "kernel \"main_kernel\": Metal makes no pipeline of it: Compiler encountered an internal error", 0, 0);
    ingot_module_release(m);
    /* The compiler's word at its place in the kernel's text, past a warning of line 1. */
    char wrong[] = "#include <metal_stdlib>\nkernel void main_kernel(device float *A [[buffer(0)]]) {\n    A[0] = nothing;\n}\n";
    m = module_of_text(wrong);
    load_fails(m, DOUBLE_NO_FAULT, INGOT_SYNTAX, "kernel \"main_kernel\": main_kernel:3:12: ", 3, 12);
    ingot_module_release(m);
    char not_utf8[] = "// \xC3(\nkernel void main_kernel(device float *A [[buffer(0)]]) {}\n";
    m = module_of_text(not_utf8);
    load_fails(m, DOUBLE_NO_FAULT, INGOT_SYNTAX, "kernel \"main_kernel\": the text is not UTF-8", 0, 0);
    ingot_module_release(m);
    char other[] = "kernel void other(device float *A [[buffer(0)]]) {}\n";
    m = module_of_text(other);
    load_fails(m, DOUBLE_NO_FAULT, INGOT_FORMAT, "kernel \"main_kernel\": the text defines no kernel of this name", 0, 0);
    ingot_module_release(m);
    char dynamic[] = "kernel void main_kernel(device float *A [[buffer(0)]], threadgroup float *t [[threadgroup(0)]]) { t[0] = A[0]; }\n";
    m = module_of_text(dynamic);
    load_fails(m, DOUBLE_NO_FAULT, INGOT_FORMAT, "its code takes 1 threadgroup buffers of a size given at launch", 0, 0);
    ingot_module_release(m);
}

/* ---- metallib ---------------------------------------------------------------------------------------------------- */

/* A well-formed library with one function of this name, whose code is not meant to be looked at. */
static buf make_metallib(const char *name)
{
    static const char module[] = "\xDE\xC0\x17\x0B\0\0\0\0\x14\0\0\0\x0C\0\0\0\xFF\xFF\xFF\xFF" "BC\xC0\xDE" "anything";
    _Static_assert(sizeof module == 33, "a wrapper of 20 bytes and 12 of code");
    pool mem = pool_make(NULL);
    metallib_function f = {.name = str_of(name), .type = METALLIB_KERNEL, .module = {module, 32}, .air = {2, 6}, .language = {3, 1}};
    metallib m = {.format_major = 1, .format_minor = 2, .format_patch = 7, .is_macos = true, .is_64_bit = true, .platform = 1,
                  .os_major = 14, .functions = &f, .function_count = 1};
    ingot_error error = {.status = INGOT_OK};
    buf out = buf_make(NULL);
    check(metallib_seal(&mem, &m, &error), &error);
    metallib_write(&m, &out);
    assert_false(out.failed);
    pool_free(&mem);
    return out;
}

static ingot_status give_bytes(void *user, const ingot_value *args, size_t count, ingot_result *result, ingot_error *error)
{
    (void)args;
    (void)count;
    (void)error;
    const buf *b = user;
    return ingot_result_set(result, ingot_bytes(b->p, b->n));
}

static void test_metallib(void **state)
{
    (void)state;
    buf bytes = make_metallib("main_kernel");
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.compile_kernel = give_bytes;
    options.compile_kernel_user = &bytes;
    ingot_module *m = compile_with(add_one, &options);
    assert_string_equal(ingot_module_format(m), "metallib");
    load_fails(m, DOUBLE_NO_FAULT, INGOT_FORMAT,
               "kernel \"main_kernel\": the metallib is well-formed, and Metal does not take it: This library is using language version", 0, 0);
    /* What its code would be, as text. */
    set_up((double_options){.air_text = "kernel void main_kernel(device const float *A [[buffer(0)]], device float *B [[buffer(1)]], "
                                        "uint i [[thread_position_in_grid]]) { B[i] = A[i] + 1.0f; }"});
    runner r = run_open(m);
    ingot_error error = {0};
    check(call_add_one(&r, &error), &error);
    expect_added(&r);
    assert_int_equal(double_count("newLibraryWithData:error:"), 1);
    assert_int_equal(double_count("newLibraryWithSource:options:error:"), 0);
    run_close(&r);
    tear_down();
    ingot_module_release(m);
    /* Our own validation speaks before Metal is asked. */
    bytes.p[bytes.n - 1] ^= 1;
    m = compile_with(add_one, &options);
    load_fails(m, DOUBLE_NO_FAULT, INGOT_FORMAT, "kernel \"main_kernel\": the metallib: ", 0, 0);
    assert_int_equal(double_count("newLibraryWithData:error:"), 0);
    ingot_module_release(m);
    buf_free(&bytes);
}

/* ---- In a launch ------------------------------------------------------------------------------------------------- */

/* A fault of an object that Metal does not give: said at once, naming the kernel; the next launch runs. */
static void test_objects(void **state)
{
    (void)state;
    static const struct {
        double_fault fault;
        const char *words;
    } cases[] = {{DOUBLE_NO_COMMANDS, "kernel \"main_kernel\": Metal gives no command buffer"},
                 {DOUBLE_NO_ENCODER, "kernel \"main_kernel\": Metal gives no encoder for a launch"}};
    ingot_module *m = compile_with(add_one, NULL);
    for (size_t i = 0; i < 2; ++i) {
        set_up((double_options){0});
        runner r = run_open(m);
        ingot_error error = {0};
        check(call_add_one(&r, &error), &error);
        expect_added(&r);
        double_inject(cases[i].fault, 1);
        ingot_status got = call_add_one(&r, &error);
        fails_with(got, INGOT_RUNTIME, &error, cases[i].words);
        check(call_add_one(&r, &error), &error);
        expect_added(&r);
        run_close(&r);
        tear_down();
    }
    ingot_module_release(m);
}

/* Copies by the GPU fail as launches do. */
static void test_copies(void **state)
{
    (void)state;
    static const struct {
        double_fault fault;
        ingot_status status;
        const char *words;
    } cases[] = {{DOUBLE_NO_COMMANDS, INGOT_RUNTIME, "Metal gives no command buffer"},
                 {DOUBLE_NO_ENCODER, INGOT_RUNTIME, "Metal gives no encoder for a copy"},
                 {DOUBLE_NO_MEMORY, INGOT_OUT_OF_MEMORY, "out of memory"},
                 {DOUBLE_COMMAND_ERROR, INGOT_DEVICE, "a copy of 4 bytes failed on the GPU: Caused GPU Timeout Error"}};
    for (size_t i = 0; i < 4; ++i) {
        set_up((double_options){.discrete = 1});
        ingot_device *device = open_device("native", 0);
        ingot_stream *stream;
        ingot_buffer *a;
        ingot_error error = {0};
        check(ingot_stream_create(device, &stream, &error), &error);
        check(ingot_buffer_create(device, 16, &a, &error), &error);
        double_inject(cases[i].fault, 1);
        fails_with(ingot_buffer_write(a, 0, "abcd", 4, stream, &error), cases[i].status, &error, cases[i].words);
        char got[4];
        double_inject(cases[i].fault, 1);
        fails_with(ingot_buffer_read(a, 0, got, 4, stream, &error), cases[i].status, &error, cases[i].words);
        check(ingot_buffer_write(a, 0, "abcd", 4, stream, &error), &error);
        check(ingot_buffer_read(a, 0, got, 4, stream, &error), &error);
        assert_memory_equal(got, "abcd", 4);
        ingot_buffer_release(a);
        ingot_stream_release(stream);
        ingot_device_release(device);
        tear_down();
    }
}

/* Launches main_kernel and main_kernel_1, of which the first fails on the GPU. */
static void fault_of_two(double_options options, const char *words)
{
    set_up(options);
    ingot_module *m = compile_with(two_kernels, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    ingot_value values[3] = {run_tensor(&r, type_f32, 64, NULL), run_tensor(&r, type_f32, 64, NULL), run_tensor(&r, type_f32, 64, NULL)};
    double_inject(DOUBLE_COMMAND_ERROR, 1);
    check(ingot_program_call(r.program, NULL, values, 3, r.stream, NULL, &error), &error);
    ingot_status got = ingot_stream_sync(r.stream, &error);
    fails_with(got, INGOT_DEVICE, &error, words);
    assert_non_null(strstr(error.message, "it ran too long, and the system stopped it; the GPU reports: Caused GPU Timeout Error"));
    check(ingot_stream_sync(r.stream, &error), &error); /* once */
    check(ingot_program_call(r.program, NULL, values, 3, r.stream, NULL, &error), &error);
    float out[64];
    run_read(&r, 2, out);
    for (int i = 0; i < 64; ++i) assert_true(out[i] == 2.0F);
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

static void test_commands(void **state)
{
    (void)state;
    fault_of_two((double_options){0}, "kernel \"main_kernel_1\": "); /* the last mark that was reached */
    fault_of_two((double_options){.no_signposts = 1}, "one of the kernels \"main_kernel\", \"main_kernel_1\": ");
    fault_of_two((double_options){.old = 1}, "one of the kernels \"main_kernel\", \"main_kernel_1\": ");
}

/* What is launched after a fault and before it is reported is left out; what fails names one kernel where there is one. */
static void test_sticks(void **state)
{
    (void)state;
    set_up((double_options){.no_signposts = 1});
    ingot_module *m = compile_with(add_one, NULL);
    runner r = run_open(m);
    ingot_error error = {0};
    check(call_add_one(&r, &error), &error);
    double_inject(DOUBLE_COMMAND_ERROR, 1);
    for (int i = 0; i < 64 * 9; ++i) check(call_add_one(&r, &error), &error); /* the first batch was waited for, and its fault is known */
    unsigned before = double_count("dispatchThreadgroups:threadsPerThreadgroup:");
    for (int i = 0; i < 64; ++i) check(call_add_one(&r, &error), &error);
    assert_int_equal(double_count("dispatchThreadgroups:threadsPerThreadgroup:"), before);
    float out[1024];
    ingot_status got = ingot_buffer_read(r.buffers[1], 0, out, sizeof out, r.stream, &error);
    fails_with(got, INGOT_DEVICE, &error, "kernel \"main_kernel\": it ran too long");
    expect_added(&r); /* by the batches before and after */
    /* A stream that is closed with a fault on it. */
    double_inject(DOUBLE_COMMAND_ERROR, 1);
    check(call_add_one(&r, &error), &error);
    run_close(&r);
    ingot_module_release(m);
    tear_down();
}

/* The device's own table, for what no module can ask: many constant bytes, and memory of threadgroups. */
static void test_limits(void **state)
{
    (void)state;
    set_up((double_options){0});
    static const char text[] = "struct many { int v[1100]; };\n"
                               "kernel void k(device int *out [[buffer(0)]], constant many &m [[buffer(1)]], threadgroup int *t [[threadgroup(0)]],\n"
                               "              uint i [[thread_position_in_grid]]) { t[i] = m.v[1099 - i]; out[i] = t[i]; }\n";
    const rt_device_fns *fns = &metal_device_fns;
    void *device, *queue, *memory, *kernel;
    ingot_error error = {.status = INGOT_OK};
    check(fns->open(mem_or_default(NULL), 0, 0, &device, &error), &error);
    check(fns->queue_open(device, &queue, &error), &error);
    check(fns->alloc(device, 4, &memory, &error), &error);
    rt_source source = {.format = RT_FORMAT_METAL, .text = text, .size = sizeof text - 1, .kernel = "k", .math = RT_MATH_SAFE, .language = 31};
    check(fns->kernel_load(device, &source, &kernel, &error), &error);
    assert_string_equal(double_compile_options(), "language 196609 math 0 functions 1"); /* 3 << 16 | 1 */
    const rt_kernel_info *info = fns->kernel_info(device, kernel);
    assert_int_equal(info->slot_count, 2);
    assert_int_equal(info->slots[1].bytes, 4400);
    assert_int_equal(info->slots[1].kind, RT_SLOT_CONSTANT);
    assert_int_equal(info->slots[0].kind, RT_SLOT_DEVICE);
    assert_string_equal(info->slots[0].name, "out");
    assert_int_equal(info->dynamic_count, 1);
    int many[1100];
    for (int i = 0; i < 1100; ++i) many[i] = i;
    const rt_binding binding = {memory, 0};
    rt_launch launch = {.kernel = kernel, .buffers = &binding, .buffer_count = 1, .constants = many, .constant_bytes = sizeof many,
                        .threadgroup_bytes = 5, .grid = {1, 1, 1}, .group = {1, 1, 1}};
    check(fns->launch(device, queue, &launch, &error), &error); /* 5 bytes are given as 16 */
    assert_int_equal(double_count("setBytes:length:atIndex:"), 0);
    int got = 0;
    check(fns->read(device, queue, memory, 0, &got, 4, &error), &error);
    assert_int_equal(got, 1099);
    double_inject(DOUBLE_NO_MEMORY, 1);
    assert_int_equal(fns->launch(device, queue, &launch, &error), INGOT_OUT_OF_MEMORY);
    launch.threadgroup_bytes = 32769;
    ingot_status status = fns->launch(device, queue, &launch, &error);
    fails_with(status, INGOT_LIMIT, &error, "32784 bytes of threadgroup memory, the launch's in steps of 16; the device has 32768");
    check(fns->sync(device, queue, &error), &error);
    fns->kernel_free(device, kernel);
    fns->free(device, memory);
    fns->queue_close(device, queue);
    fns->close(device);
    tear_down();
}

/* ---- Running out of memory ------------------------------------------------------------------------------------------ */

typedef struct ledger {
    size_t calls, fail_at, held;
} ledger;

static void *ledger_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    ledger *l = user;
    if (new_size == 0) {
        l->held -= old_size;
        free(ptr);
        return NULL;
    }
    if (++l->calls == l->fail_at) return NULL;
    void *p = realloc(ptr, new_size);
    assert_non_null(p);
    l->held += new_size - old_size;
    return p;
}

static ingot_status all(ingot_module *m, const ingot_allocator *mem, ingot_error *error)
{
    ingot_device *device = NULL;
    ingot_stream *stream = NULL;
    ingot_program *program = NULL;
    ingot_buffer *a = NULL, *b = NULL;
    int64_t shape = 1024;
    void *foreign = double_foreign_buffer(64, 0);
    ingot_status status = ingot_device_open("native", 0, 0, mem, &device, error);
    if (status == INGOT_OK) status = ingot_device_archive_open(device, "/nonexistent/archive", error);
    if (status == INGOT_OK) status = ingot_stream_create(device, &stream, error);
    if (status == INGOT_OK) status = ingot_program_load(m, device, &program, error);
    if (status == INGOT_OK) status = ingot_buffer_create(device, 4096, &a, error);
    if (status == INGOT_OK) status = ingot_buffer_adopt(device, foreign, &b, error);
    if (status == INGOT_OK) {
        DLTensor t = {.data = a, .device = {kDLMetal, 0}, .ndim = 1, .dtype = type_f32, .shape = &shape};
        ingot_value values[2] = {ingot_tensor(&t), ingot_tensor(&t)};
        status = ingot_program_call(program, NULL, values, 2, stream, NULL, error);
    }
    if (status == INGOT_OK) status = ingot_buffer_copy(a, 1, a, 0, 5, stream, error);
    if (status == INGOT_OK) status = ingot_stream_sync(stream, error);
    ingot_buffer_release(a);
    ingot_buffer_release(b);
    ingot_program_release(program);
    ingot_stream_release(stream);
    ingot_device_release(device);
    double_drop(foreign);
    return status;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    ingot_module *m = compile_with(add_one, NULL);
    for (int discrete = 0; discrete < 2; ++discrete) {
        ingot_status status = INGOT_OUT_OF_MEMORY;
        size_t n = 0;
        for (n = 1; status != INGOT_OK; ++n) {
            assert_true(n < 1000);
            set_up((double_options){.discrete = discrete});
            ledger l = {.fail_at = n};
            const ingot_allocator mem = {ledger_resize, &l};
            ingot_error error = {0};
            status = all(m, &mem, &error);
            if (status != INGOT_OK) fails_with(status, INGOT_OUT_OF_MEMORY, &error, "out of memory");
            assert_int_equal(l.held, 0);
            tear_down();
        }
        assert_true(n > 10);
    }
    ingot_module_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open),     cmocka_unit_test(test_load),   cmocka_unit_test(test_metallib),
        cmocka_unit_test(test_objects),  cmocka_unit_test(test_copies), cmocka_unit_test(test_commands),
        cmocka_unit_test(test_sticks),   cmocka_unit_test(test_limits), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
