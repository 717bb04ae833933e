/* Modules by the public header: what can be asked of one, its files, and what is refused. */
#define _XOPEN_SOURCE 700
#include "ingot_test.h"

#include <stdio.h>
#include <unistd.h>

static ingot_module *load(const void *bytes, size_t size, ingot_error *error)
{
    ingot_module *module = NULL;
    if (ingot_module_load(bytes, size, NULL, &module, error) != INGOT_OK) assert_null(module);
    return module;
}

static void test_inspect(void **state)
{
    (void)state;
    ingot_module *m = compile_with(two_kernels, NULL);
    assert_string_equal(ingot_module_format(m), "metal");
    assert_int_equal(ingot_module_is_fallback(m), 0);
    assert_int_equal(ingot_module_kernel_count(m), 2);
    ingot_kernel_info k;
    assert_int_equal(ingot_module_kernel(m, 0, &k), INGOT_OK);
    assert_string_equal(k.name, "main_kernel");
    assert_int_equal(k.arg_count, 2);
    assert_string_equal(k.arg_names[0], "A_ptr");
    assert_string_equal(k.arg_names[1], "B_ptr");
    assert_int_equal(k.arg_types[0].code, kDLOpaqueHandle);
    assert_int_equal(k.arg_types[0].bits, 64);
    assert_int_equal(k.launch_tag_count, 1);
    assert_string_equal(k.launch_tags[0], "threadIdx.x");
    assert_int_equal(k.source_size, k.payload_size);
    assert_non_null(strstr(k.source, "kernel void main_kernel("));
    assert_int_equal(ingot_module_kernel(m, 1, &k), INGOT_OK);
    assert_string_equal(k.name, "main_kernel_1");
    assert_int_equal(ingot_module_kernel(m, 2, &k), INGOT_NOT_FOUND);
    assert_int_equal(ingot_module_function_count(m), 1);
    assert_string_equal(ingot_module_function_name(m, 0), "main");
    assert_null(ingot_module_function_name(m, 1));
    assert_int_equal(ingot_module_param_count(m, NULL), 3);
    ingot_param_info p;
    assert_int_equal(ingot_module_param(m, "main", 0, &p), INGOT_OK);
    assert_int_equal(p.kind, INGOT_PARAM_TENSOR);
    assert_string_equal(p.name, "A");
    assert_int_equal(p.ndim, 1);
    assert_string_equal(p.shape[0], "64");
    assert_true(p.is_read && !p.is_written);
    assert_int_equal(ingot_module_param(m, "main", 2, &p), INGOT_OK);
    assert_true(!p.is_read && p.is_written);
    assert_int_equal(ingot_module_param(m, "main", 3, &p), INGOT_NOT_FOUND);
    assert_int_equal(ingot_module_param(m, "nobody", 0, &p), INGOT_NOT_FOUND);
    ingot_module_release(m);
}

static void test_source(void **state)
{
    (void)state;
    ingot_module *m = compile_with(two_kernels, NULL);
    ingot_text *text;
    ingot_kernel_info k;
    assert_int_equal(ingot_module_source(m, &text, NULL), INGOT_OK);
    const char *at = ingot_text_data(text);
    for (size_t i = 0; i < 2; ++i) {
        assert_int_equal(ingot_module_kernel(m, i, &k), INGOT_OK);
        char head[64];
        int n = snprintf(head, sizeof head, "// Function: %s\n", k.name);
        assert_memory_equal(at, head, (size_t)n);
        assert_memory_equal(at + n, k.source, k.source_size);
        at += (size_t)n + k.source_size;
        assert_int_equal(*at++, '\n');
    }
    assert_ptr_equal(at, ingot_text_data(text) + ingot_text_size(text));
    ingot_text_release(text);
    ingot_module_release(m);
}

static void test_bytes(void **state)
{
    (void)state;
    ingot_module *m = compile_with(add_one, NULL), *again = compile_with(add_one, NULL);
    ingot_text *first, *second, *third;
    ingot_error error = {0};
    check(ingot_module_save(m, &first, &error), &error);
    check(ingot_module_save(again, &second, &error), &error);
    assert_int_equal(ingot_text_size(first), ingot_text_size(second));
    assert_memory_equal(ingot_text_data(first), ingot_text_data(second), ingot_text_size(first));
    ingot_module *read = load(ingot_text_data(first), ingot_text_size(first), &error);
    check(ingot_module_save(read, &third, &error), &error);
    assert_int_equal(ingot_text_size(first), ingot_text_size(third));
    assert_memory_equal(ingot_text_data(first), ingot_text_data(third), ingot_text_size(first));
    ingot_text_release(first);
    ingot_text_release(second);
    ingot_text_release(third);
    ingot_module_release(read);
    ingot_module_release(m);
    ingot_module_release(again);
}

/* Any prefix, any flipped bit and anything appended is refused, by a name that fits. */
static void test_damaged(void **state)
{
    (void)state;
    ingot_module *m = compile_with(add_one, NULL);
    ingot_text *text;
    ingot_error error = {0};
    check(ingot_module_save(m, &text, &error), &error);
    size_t size = ingot_text_size(text);
    char *copy = malloc(size + 1);
    memcpy(copy, ingot_text_data(text), size);
    for (size_t i = 0; i < size; ++i) {
        assert_null(load(copy, i, &error));
        assert_int_equal(error.status, INGOT_FORMAT);
        copy[i] = (char)(copy[i] ^ (1 << i % 8));
        assert_null(load(copy, size, &error));
        assert_int_equal(error.status, INGOT_FORMAT);
        copy[i] = (char)(copy[i] ^ (1 << i % 8));
    }
    copy[size] = 0;
    assert_null(load(copy, size + 1, &error));
    assert_non_null(strstr(error.message, "1 bytes follow"));
    copy[8] = 2;
    assert_null(load(copy, size, &error));
    assert_non_null(strstr(error.message, "version 2; this build reads version 1"));
    copy[8] = 1;
    copy[size / 2] ^= 1;
    assert_null(load(copy, size, &error));
    assert_non_null(strstr(error.message, "checksum"));
    assert_null(load("not a module", 12, &error));
    assert_non_null(strstr(error.message, "not an .ingot file"));
    free(copy);
    ingot_text_release(text);
    ingot_module_release(m);
}

static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/ingot-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/x.ingot", folder);
    ingot_module *m = compile_with(add_one, NULL), *read;
    ingot_error error = {0};
    check(ingot_module_save_file(m, path, &error), &error);
    check(ingot_module_save_file(m, path, &error), &error); /* over the old one */
    check(ingot_module_load_file(path, NULL, &read, &error), &error);
    assert_int_equal(ingot_module_kernel_count(read), 1);
    ingot_module_release(read);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no temporary file was left */
    assert_int_equal(ingot_module_load_file(path, NULL, &read, &error), INGOT_IO);
    assert_null(read);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(ingot_module_save_file(m, path, &error), INGOT_IO);
    ingot_module_release(m);
}

/* The device part is exchanged in TVM's layout; what comes back has kernels and no functions. */
static void test_device_part(void **state)
{
    (void)state;
    ingot_module *m = compile_with(two_kernels, NULL), *read;
    ingot_text *bytes, *again;
    ingot_error error = {0};
    check(ingot_module_device_save(m, &bytes, &error), &error);
    assert_memory_equal(ingot_text_data(bytes), "\x05\0\0\0\0\0\0\0metal\x02\0\0\0\0\0\0\0\x0b\0\0\0\0\0\0\0main_kernel", 40);
    check(ingot_module_device_load(ingot_text_data(bytes), ingot_text_size(bytes), NULL, &read, &error), &error);
    assert_int_equal(ingot_module_kernel_count(read), 2);
    assert_int_equal(ingot_module_function_count(read), 0);
    ingot_kernel_info k;
    assert_int_equal(ingot_module_kernel(read, 0, &k), INGOT_OK);
    assert_null(k.arg_names);
    assert_non_null(k.source); /* the payload is the text */
    check(ingot_module_device_save(read, &again, &error), &error);
    assert_int_equal(ingot_text_size(bytes), ingot_text_size(again));
    assert_memory_equal(ingot_text_data(bytes), ingot_text_data(again), ingot_text_size(bytes));
    ingot_text_release(bytes);
    ingot_text_release(again);
    ingot_module_release(read);
    ingot_module_release(m);
}

/* A codegen-only module saves the same bytes, refuses to launch, and what is loaded from them runs. */
static void test_fallback(void **state)
{
    (void)state;
    ingot_compile_options options = INGOT_COMPILE_OPTIONS_INIT;
    options.force_fallback = 1;
    ingot_module *fallback = compile_with(add_one, &options), *plain = compile_with(add_one, NULL);
    ingot_text *first, *second;
    ingot_error error = {0};
    assert_int_equal(ingot_module_is_fallback(fallback), 1);
    check(ingot_module_save(fallback, &first, &error), &error);
    check(ingot_module_save(plain, &second, &error), &error);
    assert_int_equal(ingot_text_size(first), ingot_text_size(second));
    assert_memory_equal(ingot_text_data(first), ingot_text_data(second), ingot_text_size(first));
    ingot_device *device;
    ingot_program *program;
    check(ingot_device_open(TEST_DEVICE, 0, 1, NULL, &device, &error), &error);
    assert_int_equal(ingot_program_load(fallback, device, &program, &error), INGOT_RUNTIME);
    assert_null(program);
    assert_non_null(strstr(error.message, "cannot launch"));
    ingot_device_release(device);
    ingot_module *read = load(ingot_text_data(first), ingot_text_size(first), &error);
    runner r = run_open(read);
    float in[1024], out[1024];
    for (int i = 0; i < 1024; ++i) in[i] = (float)i;
    ingot_value values[2] = {run_tensor(&r, type_f32, 1024, in), run_tensor(&r, type_f32, 1024, NULL)};
    check(ingot_program_call(r.program, "main", values, 2, r.stream, NULL, &error), &error);
    run_read(&r, 1, out);
    for (int i = 0; i < 1024; ++i) assert_true(out[i] == (float)(i + 1));
    run_close(&r);
    ingot_text_release(first);
    ingot_text_release(second);
    ingot_module_release(read);
    ingot_module_release(fallback);
    ingot_module_release(plain);
}

static void test_nulls(void **state)
{
    (void)state;
    ingot_error error = {0};
    ingot_module *m;
    ingot_text *text;
    assert_int_equal(ingot_module_load(NULL, 5, NULL, &m, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_module_load("", 0, NULL, NULL, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_module_save(NULL, &text, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_module_load_file(NULL, NULL, &m, &error), INGOT_INVALID_ARGUMENT);
    assert_int_equal(ingot_module_kernel_count(NULL), 0);
    assert_int_equal(ingot_module_kernel(NULL, 0, NULL), INGOT_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect), cmocka_unit_test(test_source),      cmocka_unit_test(test_bytes), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_files),   cmocka_unit_test(test_device_part), cmocka_unit_test(test_fallback), cmocka_unit_test(test_nulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
