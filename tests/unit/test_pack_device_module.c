/* The device module's bytes against a dump written out by hand from the layout's description. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "pack/device_module.h"

/* Two kernels of add-one programs: (A, B, x: float32) on threadIdx.x, and (A, B) on blockIdx.x, threadIdx.x. */
#define U64(n) n "\0\0\0\0\0\0\0"
#define POINTER "\x03\x40\x01\0"
static const char dump[] =
    U64("\x05") "metal"
    U64("\x02")
    U64("\x0b") "main_kernel" U64("\x0b") "main_kernel"
    U64("\x03") POINTER POINTER "\x02\x20\x01\0"
    U64("\x01") U64("\x0b") "threadIdx.x"
    U64("\x03") "\0\0\0\0" "\0\0\0\0" "\0\0\0\0"
    U64("\x0d") "main_kernel_1" U64("\x0d") "main_kernel_1"
    U64("\x02") POINTER POINTER
    U64("\x02") U64("\x0a") "blockIdx.x" U64("\x0b") "threadIdx.x"
    U64("\x02") "\0\0\0\0" "\0\0\0\0"
    U64("\x02")
    U64("\x0b") "main_kernel" U64("\x06") "PAY464"
    U64("\x0d") "main_kernel_1" U64("\x06") "PAY466";

static const DLDataType types[] = {{kDLOpaqueHandle, 64, 1}, {kDLOpaqueHandle, 64, 1}, {kDLFloat, 32, 1}};
static const char *const one_tag[] = {"threadIdx.x"};
static const char *const two_tags[] = {"blockIdx.x", "threadIdx.x"};

static pack_device_module example(pack_kernel kernels[2])
{
    kernels[0] = (pack_kernel){.name = STR("main_kernel"), .arg_types = types, .arg_count = 3, .launch_tags = one_tag,
                               .launch_tag_count = 1, .payload = STR("PAY464")};
    kernels[1] = (pack_kernel){.name = STR("main_kernel_1"), .arg_types = types, .arg_count = 2, .launch_tags = two_tags,
                               .launch_tag_count = 2, .payload = STR("PAY466")};
    return (pack_device_module){PACK_METAL, kernels, 2};
}

static void test_write(void **state)
{
    (void)state;
    pack_kernel kernels[2];
    pack_device_module m = example(kernels);
    buf out = buf_make(NULL);
    pack_device_module_write(&m, &out);
    assert_int_equal(out.n, sizeof dump - 1);
    assert_int_equal(out.n, 321);
    assert_memory_equal(out.p, dump, out.n);
    buf_free(&out);
}

static void test_read(void **state)
{
    (void)state;
    pool mem = pool_make(NULL);
    const pack_device_module *m;
    ingot_error error;
    assert_int_equal(pack_device_module_read(&mem, (str){dump, sizeof dump - 1}, &m, &error), INGOT_OK);
    assert_int_equal(m->format, PACK_METAL);
    assert_int_equal(m->kernel_count, 2);
    const pack_kernel *k = pack_find_kernel(m, STR("main_kernel"));
    assert_non_null(k);
    assert_int_equal(k->arg_count, 3);
    assert_int_equal(pack_kernel_pointers(k), 2);
    assert_int_equal(k->arg_types[2].code, kDLFloat);
    assert_int_equal(k->arg_types[2].bits, 32);
    assert_int_equal(k->launch_tag_count, 1);
    assert_string_equal(k->launch_tags[0], "threadIdx.x");
    assert_true(str_is(k->payload, "PAY464"));
    assert_null(k->source.p);
    assert_true(str_is(m->kernels[1].payload, "PAY466"));
    assert_string_equal(m->kernels[1].launch_tags[1], "threadIdx.x");
    assert_null(pack_find_kernel(m, STR("main")));
    pool_free(&mem);
}

/* Every prefix is refused, and so is every prefix with a count that promises more. */
static void test_truncated(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof dump - 1; ++n) {
        char *copy = malloc(n + 1);
        memcpy(copy, dump, n);
        pool mem = pool_make(NULL);
        const pack_device_module *m;
        ingot_error error;
        assert_int_equal(pack_device_module_read(&mem, (str){copy, n}, &m, &error), INGOT_FORMAT);
        assert_null(m);
        assert_true(error.message[0] != '\0');
        pool_free(&mem);
        free(copy);
    }
}

static void refused(const char *bytes, size_t n, const char *words)
{
    pool mem = pool_make(NULL);
    const pack_device_module *m;
    ingot_error error;
    assert_int_equal(pack_device_module_read(&mem, (str){bytes, n}, &m, &error), INGOT_FORMAT);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    pool_free(&mem);
}

#define REFUSED(literal, words) refused(literal, sizeof(literal) - 1, words)
#define RECORD(name) U64("\x01") name U64("\x01") name U64("\0") U64("\0") U64("\0")

static void test_refused(void **state)
{
    (void)state;
    REFUSED(U64("\x03") "air" U64("\0") U64("\0"), "format \"air\" is unknown");
    REFUSED(U64("\x05") "metal" U64("\0") U64("\0") "x", "1 bytes follow its end");
    REFUSED(U64("\x05") "metal" U64("\x01") RECORD("k") U64("\0"), "kernel \"k\" has no payload");
    REFUSED(U64("\x05") "metal" U64("\x01") RECORD("k") U64("\x01") U64("\x01") "j" U64("\x01") "p",
            "payload \"j\" has no launch record");
    REFUSED(U64("\x05") "metal" U64("\x01") RECORD("k") U64("\x02") U64("\x01") "k" U64("\x01") "p" U64("\x01") "k"
            U64("\x01") "p", "kernel \"k\" has two payloads");
    REFUSED(U64("\x05") "metal" U64("\x02") RECORD("k") RECORD("k") U64("\x01") U64("\x01") "k" U64("\x01") "p",
            "two kernels are called \"k\"");
    REFUSED(U64("\x05") "metal" U64("\x01") U64("\x01") "k" U64("\x01") "j" U64("\0") U64("\0") U64("\0") U64("\0"),
            "record of kernel \"k\" says that it is \"j\"");
    REFUSED(U64("\x05") "metal" U64("\x01") RECORD("k") U64("\x01") U64("\x01") "k" U64("\0"), "payload is empty");
    REFUSED(U64("\x05") "metal" U64("\x01") RECORD("\0") U64("\0"), "empty or holds a NUL");
    REFUSED(U64("\x05") "metal" "\xff\xff\xff\xff\xff\xff\xff\xff", "bytes end inside");
    /* A scalar before a pointer. */
    REFUSED(U64("\x05") "metal" U64("\x01") U64("\x01") "k" U64("\x01") "k" U64("\x02") "\x02\x20\x01\0" POINTER U64("\0")
            U64("\x02") "\0\0\0\0\0\0\0\0" U64("\x01") U64("\x01") "k" U64("\x01") "p", "pointer after a scalar");
}

/* The layout before: version, payloads, records, format. Its records had extra tags later on, and none early. */
#define OLD(extra)                                                                                           \
    U64("\x05") "0.1.0" U64("\x01") U64("\x01") "k" U64("\x03") "pay" U64("\x01") U64("\x01") "k"            \
    U64("\x01") "k" U64("\x01") POINTER U64("\x01") U64("\x0b") "threadIdx.x" extra U64("\x08") "metallib"

static void reads_old(const char *bytes, size_t n)
{
    pool mem = pool_make(NULL);
    const pack_device_module *m;
    ingot_error error;
    assert_int_equal(pack_device_module_read(&mem, (str){bytes, n}, &m, &error), INGOT_OK);
    assert_int_equal(m->format, PACK_METALLIB);
    assert_int_equal(m->kernel_count, 1);
    assert_true(str_is(m->kernels[0].payload, "pay"));
    assert_int_equal(m->kernels[0].extra_tags[0], 0);
    pool_free(&mem);
}

static void test_old_layout(void **state)
{
    (void)state;
    static const char with[] = OLD(U64("\x01") "\0\0\0\0"), without[] = OLD("");
    reads_old(with, sizeof with - 1);
    reads_old(without, sizeof without - 1);
    REFUSED(OLD("") "z", "");
}

/* Payloads may come in another order than the records. */
static void test_other_order(void **state)
{
    (void)state;
    static const char bytes[] = U64("\x05") "metal" U64("\x02") RECORD("a") RECORD("b") U64("\x02") U64("\x01") "b"
                                U64("\x01") "2" U64("\x01") "a" U64("\x01") "1";
    pool mem = pool_make(NULL);
    const pack_device_module *m;
    assert_int_equal(pack_device_module_read(&mem, (str){bytes, sizeof bytes - 1}, &m, NULL), INGOT_OK);
    assert_true(str_is(m->kernels[0].name, "a") && str_is(m->kernels[0].payload, "1"));
    assert_true(str_is(m->kernels[1].name, "b") && str_is(m->kernels[1].payload, "2"));
    pool_free(&mem);
}

static void test_make(void **state)
{
    (void)state;
    pack_kernel kernels[2];
    pack_device_module m = example(kernels);
    kernels[0].source = STR("text");
    pool mem = pool_make(NULL);
    const pack_device_module *made;
    ingot_error error;
    assert_int_equal(pack_device_module_make(&mem, &m, &made, &error), INGOT_OK);
    assert_ptr_not_equal(made->kernels[0].name.p, kernels[0].name.p);
    buf source = buf_make(NULL);
    pack_device_module_source(made, &source);
    assert_true(str_is(buf_view(&source), "// Function: main_kernel\ntext\n// Function: main_kernel_1\nPAY466\n"));
    buf_free(&source);
    kernels[1].name = STR("main_kernel");
    assert_int_equal(pack_device_module_make(&mem, &m, &made, &error), INGOT_INVALID_ARGUMENT);
    assert_null(made);
    kernels[1].name = STR("");
    assert_int_equal(pack_device_module_make(&mem, &m, &made, &error), INGOT_INVALID_ARGUMENT);
    pool_free(&mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),      cmocka_unit_test(test_read),        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_old_layout), cmocka_unit_test(test_other_order),
        cmocka_unit_test(test_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
