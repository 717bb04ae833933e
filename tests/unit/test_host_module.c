/* Modules: saved and read back to the same, whatever is known of a kernel's source, and parts that do not fit. */
#include "rt_help.h"

static const DLDataType regs[] = {HANDLE, F32, I64};
static const host_insn code[] = {{.op = HOST_LAUNCH}, {.op = HOST_END}};
static const uint16_t args[] = {0, 1}, extents[] = {2};
static const host_launch launch = {{"k", 1}, args, 2, extents, 1};
static const host_function function = {.name = {"main", 4}, .regs = regs, .reg_count = 3, .code = code, .code_count = 2,
                                       .launches = &launch, .launch_count = 1, .result = NOTHING};
static const DLDataType types[] = {HANDLE, F32};
static const char *const tags[] = {"threadIdx.x"};
static const char *const names[] = {"A", "x"};

static pack_kernel kernel(const char *name)
{
    return (pack_kernel){.name = str_of(name), .arg_types = types, .arg_count = 2, .launch_tags = tags, .launch_tag_count = 1,
                         .payload = STR("the text")};
}

/* Three kernels: source equal to the payload and names known; another source; neither. */
static ingot_module *example(void)
{
    pack_kernel kernels[] = {kernel("k"), kernel("k_1"), kernel("k_2")};
    kernels[0].source = STR("the text");
    kernels[0].arg_names = names;
    kernels[1].source = STR("another text");
    host_program host = {&function, 1};
    pack_device_module device = {PACK_METALLIB, kernels, 3};
    ingot_module *m = module_of(&host, &device);
    m->target = pool_str(&m->memory, STR("{\"kind\":\"metal\"}"));
    m->fast_math = true;
    m->language = 23;
    return m;
}

static void test_round_trip(void **state)
{
    (void)state;
    ingot_module *m = example(), *read = NULL;
    buf first = buf_make(NULL), again = buf_make(NULL), second = buf_make(NULL);
    assert_int_equal(module_save(m, &first, NULL), INGOT_OK);
    assert_int_equal(module_save(m, &again, NULL), INGOT_OK);
    assert_true(str_eq(buf_view(&first), buf_view(&again)));
    ingot_error error = {.status = INGOT_OK};
    if (module_load(NULL, buf_view(&first), &read, &error) != INGOT_OK) fail_msg("%s", error.message);
    assert_int_equal(module_save(read, &second, NULL), INGOT_OK);
    assert_true(str_eq(buf_view(&first), buf_view(&second)));
    assert_true(str_is(read->target, "{\"kind\":\"metal\"}"));
    assert_true(read->fast_math);
    assert_int_equal(read->language, 23);
    assert_false(read->fallback);
    assert_int_equal(read->device->format, PACK_METALLIB);
    const pack_kernel *k = read->device->kernels;
    assert_true(str_is(k[0].source, "the text") && str_is(k[1].source, "another text"));
    assert_null(k[2].source.p);
    assert_string_equal(k[0].arg_names[1], "x");
    assert_null(k[1].arg_names);
    assert_int_equal(read->host->function_count, 1);
    module_release(read);
    module_release(m);
    buf_free(&first);
    buf_free(&again);
    buf_free(&second);
}

static void refused(pack_kernel k, const char *words)
{
    ingot_module *m = module_create(NULL);
    host_program host = {&function, 1};
    pack_device_module device = {PACK_METAL, &k, 1};
    ingot_error error;
    m->host = &host;
    assert_int_equal(pack_device_module_make(&m->memory, &device, &m->device, &error), INGOT_OK);
    assert_int_equal(module_finish(m, &error), INGOT_FORMAT);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    module_release(m);
}

static void test_parts(void **state)
{
    (void)state;
    refused(kernel("other"), "launches kernel \"k\", which is not there");
    pack_kernel k = kernel("k");
    k.arg_count = 1;
    refused(k, "with 2 arguments and 1 extents; its launch record has 1 and 1");
    static const DLDataType other[] = {HANDLE, I32};
    k = kernel("k");
    k.arg_types = other;
    refused(k, "with argument 1 of type float32; its launch record says int32");
}

static void test_device_part(void **state)
{
    (void)state;
    ingot_module *m = example(), *read = NULL;
    buf bytes = buf_make(NULL);
    pack_device_module_write(m->device, &bytes);
    assert_int_equal(module_load_device(NULL, buf_view(&bytes), &read, NULL), INGOT_OK);
    assert_int_equal(read->device->kernel_count, 3);
    assert_int_equal(read->host->function_count, 0);
    assert_null(read->device->kernels[0].source.p);
    buf file = buf_make(NULL);
    assert_int_equal(module_save(read, &file, NULL), INGOT_OK);
    buf_free(&file);
    module_release(read);
    module_release(m);
    buf_free(&bytes);
}

/* Reading with each allocation failing gives out of memory, and leaves nothing behind. */
static void test_out_of_memory(void **state)
{
    (void)state;
    ingot_module *m = example();
    buf bytes = buf_make(NULL);
    assert_int_equal(module_save(m, &bytes, NULL), INGOT_OK);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        ledger l = {.fail_at = n};
        ingot_allocator mem = {ledger_resize, &l};
        ingot_module *read = NULL;
        ingot_error error;
        ingot_status status = module_load(&mem, buf_view(&bytes), &read, &error);
        buf again = buf_make(&mem);
        if (status == INGOT_OK) status = module_save(read, &again, &error);
        buf_free(&again);
        module_release(read);
        assert_int_equal(l.held, 0);
        if (status == INGOT_OK) break;
        assert_int_equal(status, INGOT_OUT_OF_MEMORY);
        assert_int_equal(error.status, INGOT_OUT_OF_MEMORY);
        ++failures;
    }
    assert_true(failures > 5);
    module_release(m);
    buf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_parts), cmocka_unit_test(test_device_part),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
