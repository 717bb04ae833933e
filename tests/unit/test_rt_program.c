/* Programs on the null device: how arguments are packed, what is refused, and errors that stick. */
#include "rt_help.h"

/* main(A: Tensor([4], float32), i: int64, g: int64, t: int64) launches "k"(A, constants of every width) with
 * blockIdx.x = g, threadIdx.x = t, where each constant is i converted to its type. */
enum { R_A, R_I, R_G, R_T, R_BOOL, R_I8, R_U16, R_U32, R_F16, R_F32, R_BF16, R_U64, REGS };
static const DLDataType regs[REGS] = {HANDLE, I64, I64, I64, {kDLBool, 8, 1}, {kDLInt, 8, 1}, {kDLUInt, 16, 1}, {kDLUInt, 32, 1},
                                      {kDLFloat, 16, 1}, F32, {kDLBfloat, 16, 1}, {kDLUInt, 64, 1}};
static const host_insn code[] = {
    {.op = HOST_CAST, .d = R_BOOL, .a = R_I}, {.op = HOST_CAST, .d = R_I8, .a = R_I},   {.op = HOST_CAST, .d = R_U16, .a = R_I},
    {.op = HOST_CAST, .d = R_U32, .a = R_I},  {.op = HOST_CAST, .d = R_F16, .a = R_I},  {.op = HOST_CAST, .d = R_F32, .a = R_I},
    {.op = HOST_CAST, .d = R_BF16, .a = R_I}, {.op = HOST_CAST, .d = R_U64, .a = R_I},  {.op = HOST_LAUNCH},
    {.op = HOST_END}};
static const uint16_t args[] = {R_A, R_BOOL, R_I8, R_U16, R_U32, R_F16, R_F32, R_BF16, R_I, R_U64}, extents[] = {R_G, R_T};
static const host_launch launch = {{"k", 1}, args, 10, extents, 2};
static const host_dim shape[] = {{.kind = HOST_DIM_CONST, .value = 4, .text = {"4", 1}, .shown = {"", 0}}};
static const host_param params[] = {
    {.kind = INGOT_PARAM_TENSOR, .name = {"A", 1}, .dtype = F32, .reg = R_A, .shape = shape, .ndim = 1, .offset = NO_OFFSET},
    {.kind = INGOT_PARAM_SCALAR, .name = {"i", 1}, .dtype = I64, .reg = R_I, .offset = NO_OFFSET},
    {.kind = INGOT_PARAM_SCALAR, .name = {"g", 1}, .dtype = I64, .reg = R_G, .offset = NO_OFFSET},
    {.kind = INGOT_PARAM_SCALAR, .name = {"t", 1}, .dtype = I64, .reg = R_T, .offset = NO_OFFSET}};
static const host_function function = {.name = {"main", 4}, .params = params, .param_count = 4, .regs = regs, .reg_count = REGS,
                                       .code = code, .code_count = 10, .launches = &launch, .launch_count = 1, .result = NOTHING};
static const DLDataType types[] = {HANDLE, {kDLBool, 8, 1}, {kDLInt, 8, 1}, {kDLUInt, 16, 1}, {kDLUInt, 32, 1},
                                   {kDLFloat, 16, 1}, F32, {kDLBfloat, 16, 1}, I64, {kDLUInt, 64, 1}};
static const char *const tags[] = {"blockIdx.x", "threadIdx.x"};

static pack_device_module device_module(pack_kernel *k, const char *payload, pack_format format)
{
    *k = (pack_kernel){.name = STR("k"), .arg_types = types, .arg_count = 10, .launch_tags = tags, .launch_tag_count = 2,
                       .payload = str_of(payload)};
    return (pack_device_module){format, k, 1};
}

static ingot_module *new_module(const char *payload, pack_format format)
{
    host_program host = {&function, 1};
    pack_kernel k;
    pack_device_module device = device_module(&k, payload, format);
    return module_of(&host, &device);
}

typedef struct fixture {
    ingot_module *module;
    ingot_device *device;
    ingot_stream *stream;
    ingot_program *program;
    ingot_buffer *buffer;
    int64_t extent;
    DLTensor tensor;
    ingot_error error;
} fixture;

static void open_all(fixture *f)
{
    memset(f, 0, sizeof *f);
    f->module = new_module("kernel void k() {}", PACK_METAL);
    assert_int_equal(rt_device_open(&rt_null_device, 0, 0, NULL, &f->device, NULL), INGOT_OK);
    assert_int_equal(rt_stream_create(f->device, &f->stream, NULL), INGOT_OK);
    assert_int_equal(rt_program_load(f->module, f->device, &f->program, NULL), INGOT_OK);
    assert_int_equal(rt_buffer_create(f->device, 16, &f->buffer, NULL), INGOT_OK);
    f->extent = 4;
    f->tensor = (DLTensor){.data = f->buffer, .device = {kDLMetal, 0}, .ndim = 1, .dtype = F32, .shape = &f->extent};
}

static void close_all(fixture *f)
{
    rt_buffer_release(f->buffer);
    rt_program_release(f->program);
    rt_stream_release(f->stream);
    rt_device_release(f->device);
    module_release(f->module);
}

static ingot_status call(fixture *f, int64_t i, int64_t grid, int64_t group)
{
    ingot_value values[] = {ingot_tensor(&f->tensor), ingot_int(i), ingot_int(grid), ingot_int(group)};
    return rt_program_call(f->program, STR("main"), values, 4, f->stream, NULL, &f->error);
}

static const char *last_line(fixture *f)
{
    static char line[512];
    const char *log = rt_null_log(f->device->self);
    size_t n = strlen(log), start = n - 1;
    while (start > 0 && log[start - 1] != '\n') --start;
    snprintf(line, sizeof line, "%.*s", (int)(n - 1 - start), log + start);
    return line;
}

static void test_packing(void **state)
{
    (void)state;
    fixture f;
    open_all(&f);
    assert_int_equal(call(&f, -3, 5, 32), INGOT_OK);
    /* -3: true; int8 0xfd; uint16 0xfffd; uint32; half 0xc200; float 0xc0400000; bfloat 0xc040; int64 (uint64 follows,
     * past what the log shows of the 72 bytes). Each in 8 bytes, zeros above its width. */
    assert_string_equal(last_line(&f), "launch k grid 5 1 1 group 32 1 1 buffers 1 constants "
                                       "0100000000000000" "fd00000000000000" "fdff000000000000" "fdffffff00000000"
                                       "00c2000000000000" "000040c000000000" "40c0000000000000" "fdffffffffffffff"
                                       " threadgroup 0");
    close_all(&f);
}

static void fails(fixture *f, ingot_status got, ingot_status status, const char *words)
{
    if (got != status || strstr(f->error.message, words) == NULL) {
        fail_msg("%d \"%s\", expected %d \"%s\"", (int)got, f->error.message, (int)status, words);
    }
}

static void test_extents(void **state)
{
    (void)state;
    fixture f;
    open_all(&f);
    assert_int_equal(call(&f, 1, 0, 32), INGOT_OK); /* an empty grid: nothing is launched */
    assert_null(strstr(rt_null_log(f.device->self), "launch"));
    assert_int_equal(call(&f, 1, UINT32_MAX, 1), INGOT_OK);
    fails(&f, call(&f, 1, -1, 1), INGOT_VALUE, "kernel \"k\": an extent of -1 for blockIdx.x");
    fails(&f, call(&f, 1, (int64_t)1 << 32, 1), INGOT_VALUE, "an extent of 4294967296 for blockIdx.x");
    fails(&f, call(&f, 1, 1, 1025), INGOT_LIMIT, "kernel \"k\": 1025 threads a threadgroup along x; the device takes at most 1024");
    assert_int_equal(call(&f, 1, 1, 1024), INGOT_OK);
    close_all(&f);
}

static void note(void *user, const char *kernel, const uint32_t grid[3], const uint32_t group[3], size_t bytes)
{
    assert_string_equal(kernel, "k");
    assert_int_equal(bytes, 0);
    *(uint32_t *)user += grid[0] * group[0];
}

/* A fault of a kernel is reported once, by the next call that can fail; launches in between are left out. */
static void test_sticky(void **state)
{
    (void)state;
    fixture f;
    open_all(&f);
    uint32_t threads = 0;
    f.stream->on_launch = note;
    f.stream->user = &threads;
    rt_null_fail(f.device->self, 1, INGOT_DEVICE);
    assert_int_equal(call(&f, 1, 2, 3), INGOT_OK);
    assert_int_equal(threads, 6);
    fails(&f, call(&f, 1, 2, 3), INGOT_DEVICE, "kernel \"k\": the null device was told to fail");
    assert_int_equal(call(&f, 1, 2, 3), INGOT_OK);
    assert_int_equal(rt_stream_sync(f.stream, &f.error), INGOT_OK);
    rt_null_fail(f.device->self, 1, INGOT_DEVICE);
    assert_int_equal(call(&f, 1, 1, 1), INGOT_OK);
    char byte = 0;
    fails(&f, rt_buffer_read(f.buffer, 0, &byte, 1, f.stream, &f.error), INGOT_DEVICE, "told to fail");
    assert_int_equal(rt_buffer_read(f.buffer, 0, &byte, 1, f.stream, &f.error), INGOT_OK);
    /* Other failures are the call's own. */
    rt_null_fail(f.device->self, 1, INGOT_LIMIT);
    fails(&f, call(&f, 1, 1, 1), INGOT_LIMIT, "told to fail");
    close_all(&f);
}

static void test_arguments(void **state)
{
    (void)state;
    fixture f;
    open_all(&f);
    f.extent = 5;
    fails(&f, call(&f, 1, 1, 1), INGOT_VALUE, "Invalid A.shape[0] on argument #0");
    f.extent = 4;
    f.tensor.data = &f;
    fails(&f, call(&f, 1, 1, 1), INGOT_VALUE, "a live buffer of the program's device");
    ingot_device *other;
    ingot_buffer *theirs;
    assert_int_equal(rt_device_open(&rt_null_device, 0, 0, NULL, &other, NULL), INGOT_OK);
    assert_int_equal(rt_buffer_create(other, 16, &theirs, NULL), INGOT_OK);
    f.tensor.data = theirs;
    fails(&f, call(&f, 1, 1, 1), INGOT_VALUE, "a live buffer of the program's device");
    rt_buffer_release(theirs);
    rt_device_release(other);
    fails(&f, rt_program_call(f.program, STR("nobody"), NULL, 0, f.stream, NULL, &f.error), INGOT_NOT_FOUND,
          "no host function \"nobody\"");
    close_all(&f);
}

static void refuses_payload(const char *payload, size_t size, pack_format format, bool fallback, ingot_status status,
                            const char *words)
{
    host_program host = {&function, 1};
    pack_kernel k;
    pack_device_module parts = device_module(&k, "", format);
    k.payload = (str){payload, size};
    ingot_module *m = module_of(&host, &parts);
    m->fallback = fallback;
    fixture f = {.module = m};
    assert_int_equal(rt_device_open(&rt_null_device, 0, 0, NULL, &f.device, NULL), INGOT_OK);
    fails(&f, rt_program_load(m, f.device, &f.program, &f.error), status, words);
    assert_null(f.program);
    rt_device_release(f.device);
    module_release(m);
}

static void test_labels(void **state)
{
    (void)state;
    static const char text[] = "#include <metal_stdlib>\nkernel void k() {}\n";
    refuses_payload(text, sizeof text - 1, PACK_METALLIB, false, INGOT_FORMAT,
                    "kernel \"k\": the payload is labelled \"metallib\" and is MSL text; have the compile callback return (source, "
                    "\"metal\")");
    refuses_payload("\xDE\xC0\x17\x0B", 4, PACK_METALLIB, false, INGOT_FORMAT, "is LLVM bitcode (.air)");
    refuses_payload("MTLBxx", 6, PACK_METALLIB, false, INGOT_FORMAT, "kernel \"k\": the metallib: cut short");
    refuses_payload(text, sizeof text - 1, PACK_METAL, true, INGOT_RUNTIME, "code generation only");
}

/* ---- A launch record against the text's signature ---------------------------------------------------- */

static void checks(const rt_slot *slots, size_t count, uint32_t dynamic, const char *words)
{
    pack_kernel record;
    device_module(&record, "x", PACK_METAL);
    rt_kernel_info info = {.name = "k", .slots = slots, .slot_count = count, .dynamic_count = dynamic, .max_threads = 1024};
    rt_kernel k = {.record = &record, .info = &info};
    pool mem = pool_make(NULL);
    ingot_error error = {.status = INGOT_OK};
    ingot_status status = rt_kernel_check(&k, &mem, &error);
    if (words == NULL) assert_int_equal(status, INGOT_OK);
    else if (status != INGOT_FORMAT || strstr(error.message, words) == NULL) fail_msg("%d \"%s\"", (int)status, error.message);
    pool_free(&mem);
}

static void test_signature(void **state)
{
    (void)state;
    /* One pointer and nine scalars: 72 bytes at slot 1. */
    const rt_slot good[] = {{RT_SLOT_DEVICE, 0, "A", "float", 4, false, false}, {RT_SLOT_CONSTANT, 1, "arg", "k_args_t", 72, true, true}};
    const rt_slot far[] = {{RT_SLOT_DEVICE, 2, "C", "float", 4, false, false}};
    const rt_slot device[] = {{RT_SLOT_DEVICE, 1, "B", "float", 4, false, false}};
    const rt_slot large[] = {{RT_SLOT_CONSTANT, 1, "arg", "k_args_t", 80, true, true}};
    checks(good, 2, 0, NULL);
    checks(good, 1, 0, NULL);
    checks(far, 1, 0, "its code declares 'C' at [[buffer(2)]], and its launch record binds only 1 buffers and 9 scalars");
    checks(device, 1, 0, "declares 'B' at [[buffer(1)]] as device memory");
    checks(large, 1, 0, "'arg' at [[buffer(1)]] is a k_args_t of 80 bytes in its code, and its launch record passes 72 bytes");
    checks(good, 2, 1, "takes 1 threadgroup buffers of a size given at launch, and its launch record gives 0");
}

/* ---- Buffers ------------------------------------------------------------------------------------------- */

static void test_buffers(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    ingot_device *d;
    ingot_stream *s;
    ingot_error error;
    static ingot_buffer *buffers[COUNT];
    assert_int_equal(rt_device_open(&rt_null_device, 0, 0, NULL, &d, NULL), INGOT_OK);
    assert_int_equal(rt_stream_create(d, &s, NULL), INGOT_OK);
    for (int i = 0; i < COUNT; ++i) assert_int_equal(rt_buffer_create(d, 8, &buffers[i], NULL), INGOT_OK);
    for (int i = 0; i < COUNT; i += 3) {
        const void *address = buffers[i];
        rt_buffer_release(buffers[i]);
        assert_null(rt_device_find(d, address));
        buffers[i] = NULL;
    }
    for (int i = 0; i < COUNT; ++i) {
        if (buffers[i] != NULL) assert_ptr_equal(rt_device_find(d, buffers[i]), buffers[i]);
    }
    assert_null(rt_device_find(d, NULL));
    int32_t in[2] = {1, 2}, out[2] = {9, 9};
    assert_int_equal(rt_buffer_read(buffers[1], 0, out, 8, s, &error), INGOT_OK);
    assert_int_equal(out[0], 0);
    assert_int_equal(rt_buffer_write(buffers[1], 0, in, 8, s, &error), INGOT_OK);
    assert_int_equal(rt_buffer_copy(buffers[2], 4, buffers[1], 0, 4, s, &error), INGOT_OK);
    assert_int_equal(rt_buffer_read(buffers[2], 4, out, 4, s, &error), INGOT_OK);
    assert_int_equal(out[0], 1);
    assert_int_equal(rt_buffer_write(buffers[1], 1, in, 8, s, &error), INGOT_VALUE);
    assert_string_equal(error.message, "8 bytes at offset 1 do not lie inside a buffer of 8 bytes");
    assert_int_equal(rt_buffer_write(buffers[1], SIZE_MAX, in, 2, s, &error), INGOT_VALUE);
    for (int i = 0; i < COUNT; ++i) rt_buffer_release(buffers[i]);
    rt_stream_release(s);
    rt_device_release(d);
}

/* ---- Each allocation failing ------------------------------------------------------------------------------ */

static ingot_status whole_run(ingot_module *m, const ingot_allocator *mem)
{
    fixture f = {.module = m, .extent = 4};
    ingot_status status = rt_device_open(&rt_null_device, 0, 0, mem, &f.device, &f.error);
    if (status == INGOT_OK) status = rt_stream_create(f.device, &f.stream, &f.error);
    if (status == INGOT_OK) status = rt_program_load(m, f.device, &f.program, &f.error);
    if (status == INGOT_OK) status = rt_buffer_create(f.device, 16, &f.buffer, &f.error);
    f.tensor = (DLTensor){.data = f.buffer, .device = {kDLMetal, 0}, .ndim = 1, .dtype = F32, .shape = &f.extent};
    if (status == INGOT_OK) status = call(&f, 1, 1, 1);
    if (status == INGOT_OK) status = rt_stream_sync(f.stream, &f.error);
    rt_buffer_release(f.buffer);
    rt_program_release(f.program);
    rt_stream_release(f.stream);
    rt_device_release(f.device);
    if (status != INGOT_OK) assert_int_equal(f.error.status, status);
    return status;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    ingot_module *m = new_module("kernel void k() {}", PACK_METAL);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        ledger l = {.fail_at = n};
        ingot_allocator mem = {ledger_resize, &l};
        ingot_status status = whole_run(m, &mem);
        assert_int_equal(l.held, 0);
        if (status == INGOT_OK) break;
        assert_int_equal(status, INGOT_OUT_OF_MEMORY);
        ++failures;
    }
    assert_true(failures >= 8);
    module_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packing),   cmocka_unit_test(test_extents),   cmocka_unit_test(test_sticky),
        cmocka_unit_test(test_arguments), cmocka_unit_test(test_labels),    cmocka_unit_test(test_signature),
        cmocka_unit_test(test_buffers),   cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
